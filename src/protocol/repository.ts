/**
 * The repository that an event or a command is about, minimised. It stands apart since both name it.
 */
import { type Static, Type } from '@sinclair/typebox';

/** The repository part of a minimised event. */
export const EventRepositorySchema = Type.Object({
  id: Type.String(),
  origin: Type.String(),
  hostId: Type.String(),
  fullName: Type.String(),
  defaultBranch: Type.Union([Type.String(), Type.Null()]),
  url: Type.String(),
  private: Type.Boolean(),
  /** The payload did not say whether it is private: that, and an address that follows from its name, count while nothing is known. */
  bare: Type.Optional(Type.Literal(true)),
  owner: Type.Object({ id: Type.String(), login: Type.String() }),
});
export type EventRepository = Static<typeof EventRepositorySchema>;

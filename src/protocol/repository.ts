/**
 * The shape of a minimized repository in events and commands. The shape has a file of its own because both events and
 * commands use it.
 */
import { type Static, Type } from '@sinclair/typebox';

/** The repository part of a minimized event. */
export const EventRepositorySchema = Type.Object({
  id: Type.String(),
  origin: Type.String(),
  hostId: Type.String(),
  fullName: Type.String(),
  defaultBranch: Type.Union([Type.String(), Type.Null()]),
  url: Type.String(),
  private: Type.Boolean(),
  /**
   * The field is set if the payload did not state whether the repository is private. `private` is then provisional
   * until the real value is known. A `url` that was made from the name is also provisional.
   */
  bare: Type.Optional(Type.Literal(true)),
  owner: Type.Object({ id: Type.String(), login: Type.String() }),
});
export type EventRepository = Static<typeof EventRepositorySchema>;

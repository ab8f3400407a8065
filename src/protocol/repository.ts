/**
 * The shape of the repository that an event or a command is about, minimized. The shape has a file of its own because
 * both events and commands use it.
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
   * Set if the payload did not state whether the repository is private. The value of `private` is then provisional, and
   * so is a `url` that was made from the name. Both only apply until the real values are known.
   */
  bare: Type.Optional(Type.Literal(true)),
  owner: Type.Object({ id: Type.String(), login: Type.String() }),
});
export type EventRepository = Static<typeof EventRepositorySchema>;

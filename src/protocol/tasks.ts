/**
 * What crosses the border to a render thread: pointers in, results out, never records (`docs/architecture.md` decision 23). The same
 * shapes are the questions a gateway asks a partition's owner.
 */
import { type Static, Type } from '@sinclair/typebox';

import { ChannelNameSchema, ConnectionSchema } from './channels.ts';
import { ChangeSchema, DiagnosticsSchema } from './notes.ts';
import { EventRepositorySchema } from './repository.ts';
import { DaySchema, type Due } from './retention.ts';
import { DraftFlagsSchema, PersonaSchema, RangeBoundsSchema, ResolutionSchema } from './stored.ts';

/** Writes the draft of a range for a persona. */
export const RenderTaskSchema = Type.Object({
  task: Type.Literal('render'),
  rangeId: Type.String(),
  persona: PersonaSchema,
});
export type RenderTask = Static<typeof RenderTaskSchema>;

export const RenderedSchema = Type.Object({
  bodyMd: Type.String(),
  flags: DraftFlagsSchema,
  inputSeq: Type.Integer(),
});
export type Rendered = Static<typeof RenderedSchema>;

/** Checks the bounds of a range to be and counts what it holds. */
export const PreviewTaskSchema = Type.Object({
  task: Type.Literal('preview'),
  repoId: Type.String(),
  bounds: RangeBoundsSchema,
});
export type PreviewTask = Static<typeof PreviewTaskSchema>;

export const PreviewSchema = Type.Object({
  prCount: Type.Integer(),
  issueCount: Type.Integer(),
  resolution: ResolutionSchema,
});
export type Preview = Static<typeof PreviewSchema>;

/** Counts all ranges of a repository again. */
export const RecountTaskSchema = Type.Object({ task: Type.Literal('recount'), repoId: Type.String() });
export type RecountTask = Static<typeof RecountTaskSchema>;

export const RangeCountSchema = Type.Object({
  rangeId: Type.String(),
  prCount: Type.Integer(),
  issueCount: Type.Integer(),
  resolution: ResolutionSchema,
  /** Commits without a pull request. */
  commitCount: Type.Integer(),
});
export type RangeCount = Static<typeof RangeCountSchema>;

/** Says of what was looked at for a range why it is in the notes or not: one page of it. */
export const ChangesTaskSchema = Type.Object({
  task: Type.Literal('changes'),
  rangeId: Type.String(),
  limit: Type.Integer(),
  offset: Type.Integer(),
  /** Only what is in the notes, or only what is not. */
  included: Type.Optional(Type.Boolean()),
});
export type ChangesTask = Static<typeof ChangesTaskSchema>;

export const ChangesSchema = Type.Object({
  changes: Type.Array(ChangeSchema),
  total: Type.Integer(),
  diagnostics: DiagnosticsSchema,
});
export type Changes = Static<typeof ChangesSchema>;

/** Looks a repository up on its host; a question to the directory's owner, which no thread answers. */
export const ResolveRepositoryTaskSchema = Type.Object({
  task: Type.Literal('resolveRepository'),
  origin: Type.String(),
  fullName: Type.String(),
});
export type ResolveRepositoryTask = Static<typeof ResolveRepositoryTaskSchema>;

export const ResolvedRepositorySchema = Type.Object({
  repository: EventRepositorySchema,
  /** Whether its host described it just now; false = it is as stored. */
  confirmed: Type.Boolean(),
  installationId: Type.Union([Type.String(), Type.Null()]),
});
export type ResolvedRepository = Static<typeof ResolvedRepositorySchema>;

/** Counts what a sweep would erase, and all of single repositories. */
export const DueTaskSchema = Type.Object({
  task: Type.Literal('due'),
  before: DaySchema,
  repositories: Type.Array(Type.String()),
});
export type DueTask = Static<typeof DueTaskSchema>;

/** Renders what a channel would send of a draft's revision. */
export const PayloadTaskSchema = Type.Object({
  task: Type.Literal('payload'),
  publicationId: Type.String(),
  repoId: Type.String(),
  draftId: Type.String(),
  revision: Type.Integer(),
  channel: ChannelNameSchema,
  asDraft: Type.Boolean(),
  /** Settings of the connection without its secrets, which no payload holds. */
  settings: Type.Record(Type.String(), Type.Unknown()),
  pagesUrl: Type.Union([Type.String(), Type.Null()]),
  /** Where the page of the draft's persona is below its version's page. */
  personaPath: Type.Optional(Type.String()),
});
export type PayloadTask = Static<typeof PayloadTaskSchema>;

/** What a channel sends, in the channel's own shape. */
export interface Payload {
  payload: unknown;
}

/** Tries a connection of a channel; a question to the directory's owner, which no thread answers. */
export const TestChannelTaskSchema = Type.Object({
  task: Type.Literal('testChannel'),
  channel: ChannelNameSchema,
  connection: ConnectionSchema,
  /** Repository that it is tried for; null where only the organisation is known. */
  repoId: Type.Union([Type.String(), Type.Null()]),
});
export type TestChannelTask = Static<typeof TestChannelTaskSchema>;

/** What came of trying a connection; `message` says what was done, or what was wrong. */
export interface ChannelTest {
  ok: boolean;
  message: string;
}

/** Has the host confirm who owns a repository; a question to the directory's owner, which no thread answers. */
export const ConfirmOwnerTaskSchema = Type.Object({ task: Type.Literal('confirmOwner'), repoId: Type.String() });
export type ConfirmOwnerTask = Static<typeof ConfirmOwnerTaskSchema>;

/** Why the credentials of the settings may not be used for a repository; null where they may, or where nobody knows now. */
export interface OwnerConfirmation {
  refusal: string | null;
}

/** Any task: where the partition lies, and what to do there. */
export interface PoolTask {
  dataDir: string;
  partition: string;
  work: RenderTask | PreviewTask | RecountTask | ChangesTask | DueTask | PayloadTask;
}

/** A task as a thread receives it, with the longest time it may take, in milliseconds. */
export interface ThreadTask extends PoolTask {
  timeoutMs: number;
  /** One number, shared: 1 once the thread has begun. */
  begun: Int32Array;
}

/** What a thread answers: an expected failure crosses as a value, since errors lose their kind at the border. */
export type PoolAnswer =
  | { ok: true; value: Rendered | Preview | RangeCount[] | Changes | Due | Payload }
  | {
      ok: false;
      kind: 'invalid' | 'notFound' | 'unavailable' | 'internal';
      message: string;
      details?: Record<string, string>;
    };

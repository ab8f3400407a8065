/**
 * The shapes of tasks and answers of render threads. A task contains references to records, and an answer contains
 * results. Neither contains the records themselves (`docs/architecture.md` decision 23). A gateway also sends such
 * tasks to the worker that owns a partition.
 */
import { type Static, Type } from '@sinclair/typebox';

import type { AutomationTask, DueActs } from './automation.ts';
import { ChannelNameSchema, ConnectionSchema } from './channels.ts';
import { AbsentChangeSchema } from './conflicts.ts';
import type { DraftEntry } from './draft-entries.ts';
import { ChangeSchema, DiagnosticsSchema, NotesSettingsSchema, type SuggestedVersion } from './notes.ts';
import { DraftFactsSchema, type DraftVerdict } from './outdated.ts';
import type { PullNote } from './pull-note.ts';
import { EventRepositorySchema } from './repository.ts';
import { DaySchema, type Due } from './retention.ts';
import type { SettingsPreview } from './settings-preview.ts';
import {
  AssumedSchema,
  DraftFlagsSchema,
  OpenEndsSchema,
  PersonaSchema,
  RangeBoundsSchema,
  ReachedBoundsSchema,
  ResolutionSchema,
} from './stored.ts';

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
  /** Why the text does not contain changes that the earlier draft or a person's edit of it names. */
  absent: Type.Array(AbsentChangeSchema),
  facts: DraftFactsSchema,
  inputSeq: Type.Integer(),
});
export type Rendered = Static<typeof RenderedSchema>;

/** Checks the bounds of a new range and counts its content. */
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
  assumed: AssumedSchema,
  /** Set for an unreleased range only. */
  openEnds: Type.Optional(OpenEndsSchema),
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
  assumed: AssumedSchema,
  /** Number of commits without a pull request. */
  commitCount: Type.Integer(),
  openEnds: Type.Optional(OpenEndsSchema),
  becomes: Type.Optional(ReachedBoundsSchema),
});
export type RangeCount = Static<typeof RangeCountSchema>;

/** Checks which drafts of a repository are outdated. */
export const OutdatedTaskSchema = Type.Object({ task: Type.Literal('outdated'), repoId: Type.String() });
export type OutdatedTask = Static<typeof OutdatedTaskSchema>;

/**
 * Returns one page of the changes that were considered for a range. Each change has the reason why it is in the notes
 * or not.
 */
export const ChangesTaskSchema = Type.Object({
  task: Type.Literal('changes'),
  rangeId: Type.String(),
  limit: Type.Integer(),
  offset: Type.Integer(),
  /**
   * true = only changes that are in the notes; false = only changes that are not in the notes. If the field is absent,
   * all changes are returned.
   */
  included: Type.Optional(Type.Boolean()),
});
export type ChangesTask = Static<typeof ChangesTaskSchema>;

export const ChangesSchema = Type.Object({
  changes: Type.Array(ChangeSchema),
  total: Type.Integer(),
  diagnostics: DiagnosticsSchema,
});
export type Changes = Static<typeof ChangesSchema>;

/**
 * Counts and explains a range that need not exist, and suggests a version for it. Returns one page of its changes.
 */
export const RangePreviewTaskSchema = Type.Object({
  task: Type.Literal('rangePreview'),
  repoId: Type.String(),
  bounds: RangeBoundsSchema,
  limit: Type.Integer(),
  offset: Type.Integer(),
  /** As in `ChangesTaskSchema`. */
  included: Type.Optional(Type.Boolean()),
});
export type RangePreviewTask = Static<typeof RangePreviewTaskSchema>;

/** A preview of a range. `since` is the tag at the beginning of the range; null if the range begins with the history. */
export interface RangePreview extends Preview, Changes {
  commitCount: number;
  since: { tag: string; sha: string | null; date: number } | null;
  suggestedVersion: SuggestedVersion;
}

/**
 * Asks for the newest release tags and the unreleased changes of repositories. The owner of their partition answers from
 * its memory and counts the others, but answers after `waitMs` with the counts that are ready.
 */
export interface UnreleasedCountsTask {
  task: 'unreleasedCounts';
  repoIds: readonly string[];
  waitMs: number;
}

/** Counts what was merged to the default branch of one repository since its newest release. */
export interface UnreleasedCountTask {
  task: 'unreleasedCount';
  repoId: string;
}

/** The unreleased changes of a repository, and the release that they begin with; null for the beginning of its history. */
export interface UnreleasedCount {
  lastTag: { name: string; date: number } | null;
  /** The numbers that a preview of the unreleased range has in its counts and its diagnostics. */
  unreleased: {
    pulls: number;
    issues: number;
    commits: number;
    changes: number;
    dependencyUpdates: number;
    unlabelled: number;
    /** The repository has changed since, and the new count is not ready. */
    outdated?: true;
  };
}

/** Counts by the id of the repository. Repositories whose count is not ready are left out. */
export type UnreleasedCounts = Readonly<Record<string, UnreleasedCount>>;

/** Returns one page of the entries of a draft, with what is known about each. */
export const EntriesTaskSchema = Type.Object({
  task: Type.Literal('entries'),
  draftId: Type.String(),
  limit: Type.Integer(),
  offset: Type.Integer(),
});
export type EntriesTask = Static<typeof EntriesTaskSchema>;

/** One page of entries, and the number of all entries. */
export interface Entries {
  entries: DraftEntry[];
  total: number;
}

/**
 * Renders the drafts of the last tag ranges of a repository under its stored settings and under the given settings.
 * Returns the differences ({@link SettingsPreview}).
 */
export const SettingsPreviewTaskSchema = Type.Object({
  task: Type.Literal('settingsPreview'),
  repoId: Type.String(),
  settings: NotesSettingsSchema,
  /** Tag at the end of the only range that is rendered, or null for the unreleased changes; absent for all tag ranges. */
  toTag: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** Whether the reply contains the texts of the drafts under the given settings. */
  withText: Type.Optional(Type.Boolean()),
});
export type SettingsPreviewTask = Static<typeof SettingsPreviewTaskSchema>;

/** Previews what the notes say about one pull request ({@link PullNote}). */
export const PullNoteTaskSchema = Type.Object({
  task: Type.Literal('pullNote'),
  repoId: Type.String(),
  number: Type.Integer(),
});
export type PullNoteTask = Static<typeof PullNoteTaskSchema>;

/**
 * Finds a repository on its host by name. The worker of the directory partition runs this task without a render thread.
 */
export const ResolveRepositoryTaskSchema = Type.Object({
  task: Type.Literal('resolveRepository'),
  origin: Type.String(),
  fullName: Type.String(),
});
export type ResolveRepositoryTask = Static<typeof ResolveRepositoryTaskSchema>;

export const ResolvedRepositorySchema = Type.Object({
  repository: EventRepositorySchema,
  /** True if the host has just described the repository; false if `repository` is the stored description. */
  confirmed: Type.Boolean(),
  installationId: Type.Union([Type.String(), Type.Null()]),
});
export type ResolvedRepository = Static<typeof ResolvedRepositorySchema>;

/** Counts the records that a sweep would erase, and counts all records of the given repositories. */
export const DueTaskSchema = Type.Object({
  task: Type.Literal('due'),
  before: DaySchema,
  repositories: Type.Array(Type.String()),
});
export type DueTask = Static<typeof DueTaskSchema>;

/** Renders the payload that a channel would send to publish a revision of a draft. */
export const PayloadTaskSchema = Type.Object({
  task: Type.Literal('payload'),
  publicationId: Type.String(),
  repoId: Type.String(),
  draftId: Type.String(),
  revision: Type.Integer(),
  channel: ChannelNameSchema,
  asDraft: Type.Boolean(),
  /** Settings of the connection, without the secrets of the connection. No payload contains secrets. */
  settings: Type.Record(Type.String(), Type.Unknown()),
  pagesUrl: Type.Union([Type.String(), Type.Null()]),
  /** Path of the page for the draft's persona, relative to the page of the version. */
  personaPath: Type.Optional(Type.String()),
  /** True for a preview that needs a name in place of the version, which the range does not have yet. */
  provisional: Type.Optional(Type.Boolean()),
});
export type PayloadTask = Static<typeof PayloadTaskSchema>;

/** The content that a channel sends, in the channel's own shape. */
export interface Payload {
  payload: unknown;
  /** The name in place of the version, if the task asked for one and the range still has no version. */
  provisionalVersion?: string;
}

/** Tests a channel connection. The worker of the directory partition runs this task without a render thread. */
export const TestChannelTaskSchema = Type.Object({
  task: Type.Literal('testChannel'),
  channel: ChannelNameSchema,
  connection: ConnectionSchema,
  /** Repository that the connection is tested for; null if only the organization is known. */
  repoId: Type.Union([Type.String(), Type.Null()]),
});
export type TestChannelTask = Static<typeof TestChannelTaskSchema>;

/** The result of a test. `message` describes what was done, or what was wrong. */
export interface ChannelTest {
  ok: boolean;
  message: string;
}

/**
 * Asks the host to confirm who owns a repository. The worker of the directory partition runs this task without a render
 * thread.
 */
export const ConfirmOwnerTaskSchema = Type.Object({ task: Type.Literal('confirmOwner'), repoId: Type.String() });
export type ConfirmOwnerTask = Static<typeof ConfirmOwnerTaskSchema>;

/**
 * `refusal` is the reason why the service must not use the configured credentials for a repository. `refusal` is null
 * if the service may use the credentials, or if the host does not answer now.
 */
export interface OwnerConfirmation {
  refusal: string | null;
}

/** The rows that the owner of a partition writes, in shared memory (`src/store/write-log.ts`). */
export interface SharedWrites {
  memory: SharedArrayBuffer;
  /** Number of the log in its process. A thread gets a new object for the same memory with each task. */
  log: number;
  /** The rows are complete for a state that contains the message with this sequence number. */
  since: number;
  /** Number of the period in which the repository's rows are recorded without a gap. */
  watch: number;
}

/** A row of the store that was written or removed: the name of its table, and its key after the repository's id. */
export interface WrittenRow {
  table: string;
  key: readonly (string | number)[];
}

/** A task for a render thread: the location of a partition, and the work to do with the partition's data. */
export interface PoolTask {
  dataDir: string;
  partition: string;
  /** Rows that the owner of the partition has written; absent if the task does not use the results of earlier tasks. */
  writes?: SharedWrites;
  work:
    | RenderTask
    | PreviewTask
    | RecountTask
    | OutdatedTask
    | AutomationTask
    | ChangesTask
    | RangePreviewTask
    | UnreleasedCountTask
    | EntriesTask
    | SettingsPreviewTask
    | PullNoteTask
    | DueTask
    | PayloadTask;
}

/** A task as a thread receives it, with its time limit in milliseconds. */
export interface ThreadTask extends PoolTask {
  timeoutMs: number;
  /** An array of one number in shared memory. The thread sets the number to 1 when the thread begins the task. */
  begun: Int32Array;
}

/**
 * A thread's answer. An expected failure is sent as a value, because an error object loses its class when it is sent
 * between threads.
 */
export type PoolAnswer =
  | {
      ok: true;
      value:
        | Rendered
        | Preview
        | RangeCount[]
        | DraftVerdict[]
        | DueActs
        | Changes
        | RangePreview
        | UnreleasedCount
        | Entries
        | SettingsPreview
        | PullNote
        | Due
        | Payload;
    }
  | {
      ok: false;
      kind: 'invalid' | 'notFound' | 'unavailable' | 'internal';
      message: string;
      details?: Record<string, string>;
    };

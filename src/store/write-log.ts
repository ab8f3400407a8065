/**
 * Records which rows of some repositories a partition's owner writes, in memory that render threads share. A thread that
 * has computed something can so find out which rows have changed since. A row is in the log before its commit, so the
 * log contains all rows that a reader can see. It may also contain rows that a reader has already seen.
 */
import type { SharedWrites, WrittenRow } from '../protocol/tasks.ts';
import type { Partition, TableName } from './partition.ts';

/** The tables whose rows are recorded: everything that drafts and previews read by repository. */
const recorded = [
  'pulls',
  'pullsByMergeSha',
  'pullsByMergedAt',
  'pullsByAuthor',
  'issues',
  'issuesByClosedAt',
  'comments',
  'commandComments',
  'pushes',
  'commits',
  'branchHeads',
  'tags',
  'labelChanges',
  'comparisons',
] as const satisfies readonly TableName[];

/** Bytes of the log. When they are used up, the log starts again, and earlier results are computed in full. */
const defaultBytes = 1024 * 1024;
/** Maximum number of repositories whose rows are recorded. */
const maxWatched = 50;
/** Tasks get the log of a repository until no preview was requested for this time, in milliseconds. */
const unaskedMs = 15 * 60_000;
/** The rows are recorded for this time longer, in milliseconds. Tasks that have got the log end before. */
const taskMs = 60_000;

// Positions of the numbers in the head of the shared memory. The epoch is odd while rows of a batch are missing.
const [epochAt, lengthAt, committedAt] = [0, 1, 2];
const headBytes = 16;

/** A place in a log. */
export interface LogPlace {
  epoch: number;
  at: number;
}

/** Number of logs that this process has made. */
let logs = 0;

/** A repository whose rows are recorded. */
interface Watched {
  since: number;
  watch: number;
  /** When a preview was requested last, in milliseconds. */
  askedAt: number;
}

/** The owner's end of the log. */
export class WriteLog {
  private readonly number = ++logs;
  readonly memory: SharedArrayBuffer;
  private readonly head: Int32Array;
  private readonly bytes: Buffer;
  /** Recorded repositories. The one that was not asked for the longest is first. */
  private readonly watched = new Map<string, Watched>();
  private watches = 0;
  /** Sequence number of the last message of the batch that is being folded; undefined between two batches. */
  private folding: number | undefined;
  /** The open partition, until its tables are recorded. */
  private partition: Partition | undefined;
  private readonly now: () => number;

  constructor(bytes = defaultBytes, now = () => performance.now()) {
    this.now = now;
    this.memory = new SharedArrayBuffer(headBytes + bytes);
    this.head = new Int32Array(this.memory, 0, headBytes / 4);
    this.bytes = Buffer.from(this.memory, headBytes);
  }

  /** Records the rows of a repository from now on, until no preview of it was requested for a while. */
  watch(repoId: string): SharedWrites {
    this.record();
    const { since, watch } = this.watched.get(repoId) ?? { since: this.folding ?? 0, watch: ++this.watches };
    const known = { since, watch, askedAt: this.now() };
    this.watched.delete(repoId);
    this.watched.set(repoId, known);
    if (this.watched.size > maxWatched) {
      const [oldest] = this.watched.keys();
      if (oldest !== undefined) this.watched.delete(oldest);
    }
    return this.sharedOf(known);
  }

  /** Returns the log of a repository if previews of it are requested; undefined for any other repository. */
  known(repoId: string): SharedWrites | undefined {
    const known = this.watched.get(repoId);
    return known && this.now() - known.askedAt < unaskedMs ? this.sharedOf(known) : undefined;
  }

  private sharedOf({ since, watch }: Watched): SharedWrites {
    return { memory: this.memory, log: this.number, since, watch };
  }

  /** Follows a partition that was opened. Nothing costs time before a repository is watched. */
  follow(partition: Partition): void {
    this.partition = partition;
    if (this.watched.size > 0) this.record();
  }

  /** Call it before a batch is folded, with the sequence number of its last message. */
  begin(seq: number): void {
    this.folding = seq;
    if (this.watched.size > 0) this.dropUnasked();
  }

  /** Ends the records of repositories whose previews nobody has requested for a while. */
  private dropUnasked(): void {
    const asked = this.now() - unaskedMs - taskMs;
    for (const [repoId, { askedAt }] of this.watched) {
      if (askedAt > asked) return;
      this.watched.delete(repoId);
    }
  }

  /** Call it when a batch is committed, or when its fold has failed. */
  end(): void {
    this.folding = undefined;
    // Rows of the batch are missing. Readers may have seen some of them, and others not.
    if (this.isFull) this.reset();
    Atomics.store(this.head, committedAt, Atomics.load(this.head, lengthAt));
  }

  /** Begins to record the rows that the partition writes and removes. */
  private record(): void {
    const { partition } = this;
    this.partition = undefined;
    if (!partition) return;
    const log = this;
    for (const name of recorded) {
      const table = partition.tables[name];
      const noted = (write: (...all: unknown[]) => unknown) =>
        function (this: typeof table, ...all: unknown[]): unknown {
          log.note(name, all[0] as readonly (string | number)[]);
          return write.apply(this, all);
        } as never;
      table.putSync = noted(table.putSync as never);
      table.removeSync = noted(table.removeSync as never);
    }
  }

  private note(table: string, [repoId, ...key]: readonly (string | number)[]): void {
    if (this.isFull || !this.watched.has(repoId as string)) return;
    const line = `${JSON.stringify([repoId, table, ...key])}\n`;
    const length = Atomics.load(this.head, lengthAt);
    const size = Buffer.byteLength(line);
    if (length + size > this.bytes.length) {
      this.reset();
      return;
    }
    this.bytes.write(line, length);
    Atomics.store(this.head, lengthAt, length + size);
  }

  /** Whether rows of the batch that is being folded are missing, because there was no room for them. */
  private get isFull(): boolean {
    return isOdd(Atomics.load(this.head, epochAt));
  }

  /** Begins the next epoch: the log is empty again. */
  private reset(): void {
    Atomics.add(this.head, epochAt, 1);
    Atomics.store(this.head, committedAt, 0);
    Atomics.store(this.head, lengthAt, 0);
  }
}

/** A render thread's end of the log. */
export class LogReader {
  private readonly head: Int32Array;
  private readonly bytes: Buffer;

  constructor(memory: SharedArrayBuffer) {
    this.head = new Int32Array(memory, 0, headBytes / 4);
    this.bytes = Buffer.from(memory, headBytes);
  }

  /** Returns the end of what is committed. Call it before a read transaction begins: the transaction sees these rows. */
  committed(): LogPlace {
    return { epoch: Atomics.load(this.head, epochAt), at: Atomics.load(this.head, committedAt) };
  }

  /**
   * Returns the rows of a repository that were written after a place. Call it after a read transaction has begun: the
   * rows contain everything that the transaction sees. Returns undefined if the log has started again since, or if rows
   * were missing at the place.
   */
  rowsAfter({ epoch, at }: LogPlace, repoId: string): WrittenRow[] | undefined {
    const text = this.bytes.toString('utf8', at, Atomics.load(this.head, lengthAt));
    if (isOdd(epoch) || Atomics.load(this.head, epochAt) !== epoch) return undefined;
    const rows: WrittenRow[] = [];
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const [owner, table, ...key] = JSON.parse(line) as [string, string, ...(string | number)[]];
      if (owner === repoId) rows.push({ table, key });
    }
    return rows;
  }
}

function isOdd(epoch: number): boolean {
  return (epoch & 1) === 1;
}

/**
 * Carries out one release note check: renders the verdict, compares it with what the host shows, and writes what
 * differs. Each write first looks at the host, so a check that was interrupted at any point writes nothing twice.
 */
import { DeliveryError } from '../../src/channels/channel.ts';
import { onHost } from '../../src/channels/host/delivery.ts';
import { ServiceError } from '../../src/foundation/errors.ts';
import { digestOf } from '../../src/foundation/etag.ts';
import { noteCheckWrites } from '../../src/foundation/metrics.ts';
import type { RepositoryAccess } from '../../src/host/access.ts';
import type { HostComment } from '../../src/host/comments.ts';
import type { HostVerdict, Written } from '../../src/host/verdicts.ts';
import { type NoteChecked, noteCheckMark, type ShownCheck } from '../../src/protocol/note-checks.ts';
import type { PullNote } from '../../src/protocol/pull-note.ts';
import { type DirectoryRepository, readDirectoryRepository, refusedOwner } from '../../src/store/tables/directory.ts';
import { readNoteCheck, type WaitingPull } from '../../src/store/tables/note-checks.ts';
import { readPull } from '../../src/store/tables/pulls.ts';
import { readSettings } from '../../src/store/tables/settings.ts';
import { wasRefused } from '../host/repository-on-host.ts';
import type { PublishContext } from '../publish/context.ts';
import { hostAccess } from '../publish/host.ts';
import { retryAt } from '../publish/schedule.ts';
import { organizationOf } from '../render/organization.ts';
import { commentOf, verdictOf } from './texts.ts';

type Outcome = Pick<NoteChecked, 'outcome'> & Partial<Pick<NoteChecked, 'shown' | 'error' | 'retryAt'>>;

/** The texts that a check writes. A field is absent if the host shows it already. */
interface Plan {
  headSha: string;
  verdict?: HostVerdict & { digest: string };
  comment?: HostComment & { digest: string };
}

/**
 * How long a check waits for the render thread of its organization, in milliseconds. A check that waits longer lets the
 * checks of other organizations go first.
 */
const renderWaitMs = 2000;
/** Maximum time of the requests of one check, in milliseconds. */
const hostMs = 60_000;

export class Check {
  /** How long the host asked to wait after a failure of this check, in milliseconds. */
  askedMs = 0;
  private readonly context: PublishContext;
  private readonly waiting: WaitingPull;
  private readonly stopping: AbortSignal;

  /** @param stopping aborts the check when the worker stops */
  constructor(context: PublishContext, waiting: WaitingPull, stopping: AbortSignal) {
    this.context = context;
    this.waiting = waiting;
    this.stopping = stopping;
  }

  /**
   * Renders the verdict and compares it with what the host shows. Nothing is sent.
   * @returns what has to be written, or the outcome of the check if nothing has to be written
   * @throws ServiceError `unavailable` when the check has to be made later
   */
  async prepare(): Promise<Plan | NoteChecked> {
    try {
      return await this.plan();
    } catch (error) {
      const isLater = error instanceof ServiceError && error.kind === 'unavailable';
      if (isLater || error instanceof DeliveryError || this.stopping.aborted) throw error;
      return this.failed(error, {});
    }
  }

  private async plan(): Promise<Plan | NoteChecked> {
    const { repoId, number } = this.waiting;
    const partition = this.context.partition();
    const pull = readPull(partition, repoId, number);
    const { mode, comment } = readSettings(partition, repoId).noteCheck;
    const shown = readNoteCheck(partition, repoId, number);
    const isWanted = mode !== 'off' || shown?.verdict !== undefined;
    if (pull?.state !== 'open' || pull.headSha === undefined || !isWanted) return this.skipped();
    const listed = this.listed();
    // An owner who has removed the app wants no verdicts.
    if (listed?.state !== 'connected') return this.skipped();
    if (wasRefused(listed)) return this.outcome({ outcome: 'skipped', error: refusedOwner });
    const access = this.access(this.stopping);
    const note = access && (await this.render());
    if (!access || !note) return this.skipped();
    const verdict = verdictOf(note);
    const plan = { headSha: pull.headSha, ...this.changes(note, verdict, access.isApp, pull.headSha) };
    if (mode === 'off' || !comment) delete plan.comment;
    return plan.verdict || plan.comment ? plan : this.outcome({ outcome: 'unchanged' });
  }

  /**
   * Writes the planned texts to the host.
   * @throws the signal's reason when the worker stops; the next run looks at the host
   */
  async write({ headSha, verdict, comment }: Plan): Promise<NoteChecked> {
    const { number } = this.waiting;
    const signal = AbortSignal.any([this.stopping, AbortSignal.timeout(hostMs)]);
    const shown: ShownCheck = {};
    try {
      const access = this.access(signal);
      await onHost({ host: access, signal }, async () => {
        if (!access) return;
        const kind = access.isApp ? 'check_run' : 'status';
        if (verdict) {
          await counted(kind, access.writeVerdict(headSha, verdict), (written) => written);
          Object.assign(shown, { headSha, verdict: verdict.digest });
        }
        if (comment) {
          const write = access.writeComment(number, comment);
          const { id, author } = await counted('comment', write, ({ written }) => written);
          Object.assign(shown, {
            comment: comment.digest,
            commentId: id,
            ...(author !== undefined && { commentBy: author }),
          });
        }
      });
      return this.outcome({ outcome: 'written', shown });
    } catch (error) {
      if (this.stopping.aborted) throw error;
      return this.failed(error, shown);
    }
  }

  /** Returns the outcome after an error: another attempt after a temporary failure, otherwise the end of the check. */
  private failed(error: unknown, shown: ShownCheck): NoteChecked {
    const { repoId, number, tries } = this.waiting;
    const expected = error instanceof DeliveryError;
    if (!expected) this.context.logger.error({ repo: repoId, number, err: error }, 'check of a pull request failed');
    const reason = expected ? error.message : 'The check failed on the server; see its log for the reason.';
    const mayPass = !expected || error.outcome !== 'refused';
    if (expected) this.askedMs = error.retryAfterMs ?? 0;
    const next = mayPass ? retryAt(tries + 1, Date.now(), this.askedMs) : null;
    if (next !== null) return this.outcome({ outcome: 'retried', shown, error: reason, retryAt: next });
    const ended = mayPass ? `The service gave up after ${tries + 1} attempts. ${reason}` : reason;
    this.context.logger.warn(
      { repo: repoId, number, reason: ended },
      'verdict about a pull request is not on its host',
    );
    return this.outcome({ outcome: 'failed', shown, error: ended });
  }

  /** Returns the repository as the directory lists it. */
  private listed(): DirectoryRepository | undefined {
    const directory = this.context.directory();
    if (!directory) throw new ServiceError('unavailable', 'The directory cannot be read right now.');
    return readDirectoryRepository(directory, this.waiting.repoId);
  }

  private access(signal: AbortSignal): RepositoryAccess | null {
    return hostAccess(this.context, this.waiting.repoId, signal);
  }

  /** Renders the preview of the pull request. Returns undefined if the pull request was erased meanwhile. */
  private async render(): Promise<PullNote | undefined> {
    const { context } = this;
    const { repoId, number } = this.waiting;
    const partition = context.partition();
    const work = { task: 'pullNote', repoId, number } as const;
    const turn = { organization: organizationOf(partition, repoId), maxWaitMs: renderWaitMs };
    try {
      return await context.pool.run({ dataDir: context.dataDir, partition: partition.name, work }, turn);
    } catch (error) {
      if (error instanceof ServiceError && error.kind === 'notFound') return undefined;
      throw error;
    }
  }

  /** Returns the texts that differ from those that the host shows. */
  private changes(note: PullNote, verdict: HostVerdict, isApp: boolean, headSha: string): Omit<Plan, 'headSha'> {
    const { repoId, number } = this.waiting;
    const shown = readNoteCheck(this.context.partition(), repoId, number);
    const { state, title, summary } = verdict;
    // A commit status has no summary.
    const verdictDigest = digestOf(JSON.stringify(isApp ? [state, title, summary] : [state, title]));
    const mark = `${noteCheckMark}${this.context.sealer.mac(String(number), ['note check', repoId])} -->`;
    const body = commentOf(note, mark);
    const commentDigest = digestOf(body);
    const isSameVerdict = shown?.headSha === headSha && shown.verdict === verdictDigest;
    return {
      ...(!isSameVerdict && { verdict: { ...verdict, digest: verdictDigest } }),
      ...(shown?.comment !== commentDigest && {
        comment: { mark, body, id: shown?.commentId, author: shown?.commentBy, digest: commentDigest },
      }),
    };
  }

  private skipped(): NoteChecked {
    return this.outcome({ outcome: 'skipped' });
  }

  private outcome(fields: Outcome): NoteChecked {
    const { repoId, number, row } = this.waiting;
    return { result: 'noteChecked', repoId, number, row, shown: {}, error: null, retryAt: null, ...fields };
  }
}

/** Counts a write to the host by its kind and outcome. Returns what the write returns. */
async function counted<T>(
  kind: 'check_run' | 'status' | 'comment',
  write: Promise<T>,
  outcomeOf: (reply: T) => Written,
): Promise<T> {
  try {
    const reply = await write;
    noteCheckWrites.inc({ kind, outcome: outcomeOf(reply) });
    return reply;
  } catch (error) {
    noteCheckWrites.inc({ kind, outcome: 'failed' });
    throw error;
  }
}

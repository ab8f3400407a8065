/**
 * Asks the host for missing data about a range between two tags before the range is counted. The data can be tags that
 * no event named, and the commits between the tags. All data that was read is journaled, so a replay of the journal
 * asks no host. A failure here never fails the range. Without credentials, or if the host is slow, the range is counted
 * from the captured data. If the host answers late, the range is recounted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../src/foundation/errors.ts';
import type { HostWait } from '../../src/host/client.ts';
import { name as storedName } from '../../src/intake/text.ts';
import type { BackfilledBody } from '../../src/protocol/events.ts';
import type { PreviewTask } from '../../src/protocol/tasks.ts';
import { readComparison } from '../../src/store/tables/comparisons.ts';
import { readRepository } from '../../src/store/tables/repositories.ts';
import { readTag } from '../../src/store/tables/tags.ts';
import { comparisonOf } from './compare.ts';
import { type HostContext, journalPage } from './context.ts';
import { mayAsk, type Reached, reach } from './repository-on-host.ts';
import { askedTag } from './tags.ts';

/** Maximum time that the creation of a range waits for the host, in milliseconds. */
const maxWaitMs = 3000;
/** Maximum total time of a comparison, in milliseconds. A comparison may continue after the range was created. */
const maxMs = 60_000;
/** How long a host is skipped after it did not answer, in milliseconds. */
const awayMs = 30_000;
/** Maximum number of ranges for which requests to hosts run concurrently. Further ranges use the captured data only. */
const concurrency = 4;

interface Wanted {
  repoId: string;
  fromTag: string;
  toTag: string;
}

export class Comparisons {
  private readonly context: HostContext;
  private readonly stop = new AbortController();
  private readonly asking = new Map<string, Promise<void>>();
  /** For each host that did not answer, the time until which the host is skipped. The key is the host's web address. */
  private readonly awayUntil = new Map<string, number>();

  constructor(context: HostContext) {
    this.context = context;
  }

  /** Asks the host for missing data about a range that will be created. Returns within seconds and never throws. */
  async learn({ repoId, bounds }: Pick<PreviewTask, 'repoId' | 'bounds'>): Promise<void> {
    const { type, fromTag, toTag } = bounds;
    if (type !== 'TAG_BASED' || !fromTag || !toTag || this.stop.signal.aborted) return;
    const wanted = { repoId, fromTag, toTag };
    if (this.isKnown(wanted) || !this.context.lead.acts || !mayAsk(this.context, repoId)) return;
    const key = JSON.stringify(wanted);
    const asked = this.asking.get(key) ?? this.start(key, wanted);
    await Promise.race([asked, pause(maxWaitMs, undefined, { ref: false })]);
  }

  /** Aborts the requests that are running. */
  async close(): Promise<void> {
    this.stop.abort(new Error('the worker stops'));
    await Promise.all(this.asking.values());
  }

  private start(key: string, wanted: Wanted): Promise<void> | undefined {
    const origin = readRepository(this.context.partition(), wanted.repoId)?.origin ?? '';
    if (this.asking.size >= concurrency || Date.now() < (this.awayUntil.get(origin) ?? 0)) return undefined;
    const done = this.ask(wanted)
      .catch((error: unknown) => {
        if (this.stop.signal.aborted) return;
        const hasAnswered = error instanceof ServiceError && error.kind !== 'unavailable';
        if (!hasAnswered) this.awayUntil.set(origin, Date.now() + awayMs);
        this.context.logger.warn(
          { repo: wanted.repoId, err: error },
          'comparison on the host failed: the range uses only captured data',
        );
      })
      .finally(() => this.asking.delete(key));
    this.asking.set(key, done);
    return done;
  }

  private async ask(wanted: Wanted): Promise<void> {
    const longWait = new AbortController();
    const signal = AbortSignal.any([this.stop.signal, longWait.signal, AbortSignal.timeout(maxMs)]);
    const onWait = ({ ms }: HostWait): void => {
      if (ms > maxWaitMs) longWait.abort(new ServiceError('unavailable', 'The host asks to wait.'));
    };
    const reached = await reach(this.context, wanted.repoId, { signal, onWait });
    if (!reached) return;
    await this.learnTags(reached, wanted, signal);
    await this.learnDifference(reached, wanted, signal);
  }

  private async learnTags(reached: Reached, { repoId, fromTag, toTag }: Wanted, signal: AbortSignal): Promise<void> {
    const bodies: BackfilledBody[] = [];
    for (const tag of [fromTag, toTag]) {
      if (this.shaOf(repoId, tag) !== undefined) continue;
      const body = await askedTag(reached, tag);
      if (body) bodies.push(body);
    }
    if (bodies.length > 0) await this.journal(reached, bodies, signal);
  }

  /**
   * Journals the commits that the second tag contains and the first tag does not. If neither tag is an ancestor of the
   * other, the commits that only the first tag contains are requested too.
   */
  private async learnDifference(reached: Reached, wanted: Wanted, signal: AbortSignal): Promise<void> {
    const { repoId, fromTag, toTag } = wanted;
    const [from, to] = [this.shaOf(repoId, fromTag), this.shaOf(repoId, toTag)];
    if (from === undefined || to === undefined || this.isKnown(wanted)) return;
    const forward = await comparisonOf(reached, from, to);
    const back = forward?.ancestry === 'diverged' ? await comparisonOf(reached, to, from) : undefined;
    const bodies = [...(back?.bodies ?? []), ...(forward?.bodies ?? [])];
    if (bodies.length > 0) await this.journal(reached, bodies, signal);
  }

  private journal(
    { repository, seenAt }: Reached,
    bodies: readonly BackfilledBody[],
    signal: AbortSignal,
  ): Promise<void> {
    return journalPage(this.context, { job: null, repository, confirmed: true, seenAt, bodies: [...bodies] }, signal);
  }

  private isKnown({ repoId, fromTag, toTag }: Wanted): boolean {
    const [from, to] = [this.shaOf(repoId, fromTag), this.shaOf(repoId, toTag)];
    if (from === undefined || to === undefined) return false;
    return from === to || readComparison(this.context.partition(), repoId, from, to) !== undefined;
  }

  /** Returns the commit of a tag, or undefined if the tag is unknown or deleted. */
  private shaOf(repoId: string, tag: string): string | undefined {
    const stored = readTag(this.context.partition(), repoId, storedName(tag));
    return stored && !stored.deleted ? (stored.sha ?? undefined) : undefined;
  }
}

/**
 * What a range between two tags needs of the host before it is counted: tags that no event told of, and which commits lie
 * between the two. All of it is journalled, so a replay asks nothing. A range never fails here: where there are no credentials,
 * or the host does not answer soon, what is captured decides, and what comes later counts the ranges again.
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

/** Whoever creates a range waits this long for the host. */
const patienceMs = 3000;
/** A large comparison goes on for this long after that. */
const longestMs = 60_000;
/** A host that was found away is not asked again for this long. */
const awayMs = 30_000;
/** Ranges that the host is asked for at a time; further ones go by what is captured. */
const atOnce = 4;

interface Wanted {
  repoId: string;
  fromTag: string;
  toTag: string;
}

export class Comparisons {
  private readonly context: HostContext;
  private readonly stop = new AbortController();
  private readonly asking = new Map<string, Promise<void>>();
  /** By web address of the host. */
  private readonly awayUntil = new Map<string, number>();

  constructor(context: HostContext) {
    this.context = context;
  }

  /** Asks the host for what is not known of a range to be; ends within seconds, and never with an error. */
  async learn({ repoId, bounds }: PreviewTask): Promise<void> {
    const { type, fromTag, toTag } = bounds;
    if (type !== 'TAG_BASED' || !fromTag || !toTag || this.stop.signal.aborted) return;
    const wanted = { repoId, fromTag, toTag };
    if (this.isKnown(wanted) || !this.context.caughtUp() || !mayAsk(this.context, repoId)) return;
    const key = JSON.stringify(wanted);
    const asked = this.asking.get(key) ?? this.start(key, wanted);
    await Promise.race([asked, pause(patienceMs, undefined, { ref: false })]);
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.stop.abort(new Error('the worker stops'));
    await Promise.all(this.asking.values());
  }

  private start(key: string, wanted: Wanted): Promise<void> | undefined {
    const origin = readRepository(this.context.partition(), wanted.repoId)?.origin ?? '';
    if (this.asking.size >= atOnce || Date.now() < (this.awayUntil.get(origin) ?? 0)) return undefined;
    const done = this.ask(wanted)
      .catch((error: unknown) => {
        if (this.stop.signal.aborted) return;
        const hasAnswered = error instanceof ServiceError && error.kind !== 'unavailable';
        if (!hasAnswered) this.awayUntil.set(origin, Date.now() + awayMs);
        this.context.logger.warn({ repo: wanted.repoId, err: error }, 'a range goes by what is captured');
      })
      .finally(() => this.asking.delete(key));
    this.asking.set(key, done);
    return done;
  }

  private async ask(wanted: Wanted): Promise<void> {
    const patience = new AbortController();
    const signal = AbortSignal.any([this.stop.signal, patience.signal, AbortSignal.timeout(longestMs)]);
    const onWait = ({ ms }: HostWait): void => {
      if (ms > patienceMs) patience.abort(new ServiceError('unavailable', 'The host asks for patience.'));
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

  /** Where neither tag is an ancestor of the other, what only the first one has is asked for as well. */
  private async learnDifference(reached: Reached, wanted: Wanted, signal: AbortSignal): Promise<void> {
    const { repoId, fromTag, toTag } = wanted;
    const [from, to] = [this.shaOf(repoId, fromTag), this.shaOf(repoId, toTag)];
    if (from === undefined || to === undefined || this.isKnown(wanted)) return;
    const told = await comparisonOf(reached, from, to);
    const back = told?.ancestry === 'diverged' ? await comparisonOf(reached, to, from) : undefined;
    const bodies = [...(back?.bodies ?? []), ...(told?.bodies ?? [])];
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

  /** The commit of a tag that is there. */
  private shaOf(repoId: string, tag: string): string | undefined {
    const stored = readTag(this.context.partition(), repoId, storedName(tag));
    return stored && !stored.deleted ? (stored.sha ?? undefined) : undefined;
  }
}

/**
 * Carries out the rules of the repositories of one partition: finds what is due, and enqueues it as ordinary commands.
 * The ids of a command are derived from the repository, the tag and the act. An attempt after a kill makes the same
 * command again, and the fold takes it once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '../../config/schema.ts';
import { audit, auditedCommand } from '../../src/foundation/audit.ts';
import { ServiceError } from '../../src/foundation/errors.ts';
import { derivedId, derivedUlid, draftId, newId, slotInside, ulid } from '../../src/foundation/ids.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { renderFailures } from '../../src/foundation/metrics.ts';
import { directoryName, type PartitionName, partitionOfRepository } from '../../src/foundation/partition-names.ts';
import type { Lane } from '../../src/journal/lane.ts';
import type { ActOfRun, DueAct, RefusedPublication, RulePublication } from '../../src/protocol/automation.ts';
import { channelTraits } from '../../src/protocol/channels.ts';
import type { Command, CommandResult } from '../../src/protocol/commands.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import type { PreviewTask } from '../../src/protocol/tasks.ts';
import { belongsToListed } from '../../src/store/belonging.ts';
import type { Partition } from '../../src/store/partition.ts';
import { connectionFor, notConnected, unconfirmedOwner } from '../../src/store/publishable.ts';
import { readAutomation } from '../../src/store/tables/automations.ts';
import { listDirectoryRepositories, readDirectoryRepository } from '../../src/store/tables/directory.ts';
import { countRanges } from '../../src/store/tables/ranges.ts';
import { readRepository } from '../../src/store/tables/repositories.ts';
import { readResult } from '../../src/store/tables/results.ts';
import type { Delivering } from '../publish/context.ts';
import { confirmOwner } from '../publish/host.ts';
import { organizationOf } from '../render/organization.ts';
import type { RenderPool } from '../render/pool.ts';

/** The parts of a worker that the automation of one partition uses. */
export interface AutomationContext {
  settings: Settings;
  logger: Logger;
  pool: RenderPool;
  lane: Lane;
  delivering: Delivering;
  partition: () => Partition;
  folded: () => number;
  /** Opens the current state of any partition for reading; undefined while it does not exist. */
  read: (name: PartitionName) => Partition | undefined;
  /** Asks the host for missing data about a range that will be created. Never throws. */
  learn: (range: Pick<PreviewTask, 'repoId' | 'bounds'>) => Promise<void>;
}

/** The result of an evaluation. `waitMs` is the time until the next evaluation; null = nothing is left to do. */
export interface Evaluated {
  outcome: ResultBody | undefined;
  waitMs: number | null;
}

/** Maximum time to wait for the host's confirmation of an owner, in milliseconds. */
const confirmMs = 8000;
const pollMs = 5;

export class Automator {
  private readonly context: AutomationContext;
  private stopped = false;

  constructor(context: AutomationContext) {
    this.context = context;
  }

  /**
   * Finds what the rule of a repository makes due, enqueues it, and waits until it is folded.
   * @param row the outbox row that requested the evaluation
   * @param begin called when the evaluation gets a thread; it throws to prevent the evaluation
   */
  async evaluate(row: number, repoId: string, begin: () => Promise<void>): Promise<Evaluated> {
    const { pool, settings } = this.context;
    const partition = this.context.partition();
    const work = { task: 'automation', repoId, now: Date.now() } as const;
    const turn = { organization: organizationOf(partition, repoId), begin };
    const due = await pool
      .run({ dataDir: settings.dataDir, partition: partition.name, work }, turn)
      .catch((error: unknown) => this.failed(repoId, error));
    if (typeof due === 'string') return { outcome: this.failure(row, repoId, due), waitMs: null };
    const { refused, ended } = due;
    let problem: string | null = null;
    for (const act of due.acts) {
      const refusal = await this.act(repoId, act);
      if (refusal === undefined) continue;
      if (act.run === null) problem = refusal;
      else if (act.make === 'publication') refused.push(refusalOf(act.run, act.what, refusal));
      else ended.push({ tag: act.run.tag, problem: refusal });
    }
    for (const { tag, problem: reason, skipped } of ended)
      if (reason !== null && !skipped) this.warn(repoId, tag, reason);
    for (const { tag, channel, error } of refused) this.warn(repoId, tag, `${channel}: ${error}`);
    // An act about the unreleased range that fails would fail again. The next tag or verdict requests a new evaluation.
    const waits = [due.waitMs.runs, problem === null ? due.waitMs.branch : null].filter((ms) => ms !== null);
    const waitMs = waits.length === 0 ? null : Math.min(...waits);
    const isNews = refused.length > 0 || ended.length > 0 || problem !== null || waitMs === null;
    const outcome = { repoId, row, done: waitMs === null, refused, ended, problem };
    return { outcome: isNews ? { result: 'automated', ...outcome } : undefined, waitMs };
  }

  /**
   * Returns the message of an evaluation that needs too much time or memory. It is not repeated before the next change.
   * @throws the error, if a later evaluation can succeed
   */
  private failed(repoId: string, error: unknown): string {
    if (!(error instanceof ServiceError) || error.kind === 'unavailable') throw error;
    renderFailures.inc({ task: 'automation' });
    this.context.logger.error({ repoId, err: error }, 'evaluation of the automation rule failed');
    return error.message;
  }

  /** Returns the outcome of an evaluation that failed. It ends the runs under way, because no evaluation follows. */
  private failure(row: number, repoId: string, problem: string): ResultBody {
    const { open = [] } = readAutomation(this.context.partition(), repoId) ?? {};
    const ended = open.map((tag) => ({ tag, problem: `The rule could not be evaluated. ${problem}` }));
    for (const { tag, problem: reason } of ended) this.warn(repoId, tag, reason);
    return { result: 'automated', repoId, row, done: true, refused: [], ended, problem };
  }

  private warn(repo: string, tag: string, reason: string): void {
    this.context.logger.warn({ repo, tag, reason }, 'automation rule could not be carried out for a tag');
  }

  /** Makes the evaluations that are under way end soon. */
  stop(): void {
    this.stopped = true;
  }

  /**
   * Carries out one act.
   * @returns why it cannot be carried out; undefined if it was, or if the next evaluation must find out
   */
  private async act(repoId: string, act: DueAct): Promise<string | undefined> {
    try {
      const ids = idsOf(repoId, act.run);
      const result = await this.run(ids.command, await this.commandOf(repoId, act, ids));
      return result?.ok === false && result.kind !== 'preconditionFailed' ? result.message : undefined;
    } catch (error) {
      if (error instanceof ServiceError && error.kind !== 'unavailable') return error.message;
      throw error;
    }
  }

  /** Makes the command of an act. Of several attempts, the first one that is folded counts. */
  private async commandOf(repoId: string, act: DueAct, ids: Ids): Promise<Command> {
    const { tag, name } = act.run ?? {};
    const of = tag !== undefined && name !== undefined && { act: { repoId, tag, name } };
    const common = { by: 'automation', ...of } as const;
    switch (act.make) {
      case 'range': {
        const counts = await this.countRange(repoId, act.bounds);
        const most = { most: this.context.settings.maxRanges, elsewhere: this.rangesElsewhere(repoId) };
        const life = readRepository(this.context.partition(), repoId)?.createdAt;
        const more = { ...counts, ...most, ...(life !== undefined && { life }) };
        return { name: 'createRange', rangeId: ids.range, repoId, bounds: act.bounds, ...more, ...common };
      }
      case 'draft': {
        const { rangeId, persona, seen } = act;
        const what = { draftId: draftId(rangeId, persona), rangeId, persona, ticket: ids.command };
        return { name: 'generateDraft', ...what, ...(seen && { ifMatch: seen }), ...common };
      }
      case 'publication': {
        const { draftId: draft, revision, what } = act;
        const through = await this.connectionOf(repoId, act);
        const published = { draftId: draft, revision, channel: what.channel, asDraft: what.draft ?? false };
        return {
          name: 'publish',
          publicationId: ids.publication,
          ...published,
          ...through,
          strict: true,
          reports: true,
          ...common,
        };
      }
    }
  }

  private async countRange(repoId: string, bounds: PreviewTask['bounds']) {
    const { pool, settings, learn } = this.context;
    await learn({ repoId, bounds });
    const partition = this.context.partition();
    const work = { task: 'preview', repoId, bounds } as const;
    const turn = { organization: organizationOf(partition, repoId) };
    return pool.run({ dataDir: settings.dataDir, partition: partition.name, work }, turn);
  }

  /** Returns the number of ranges in the other repositories of the organization. */
  private rangesElsewhere(repoId: string): number {
    const { read, settings } = this.context;
    const directory = read(directoryName);
    const orgId = directory && readDirectoryRepository(directory, repoId)?.orgId;
    if (!directory || orgId === undefined || settings.maxRanges === 0) return 0;
    const others = listDirectoryRepositories(directory, orgId).filter(({ id }) => id !== repoId);
    return others.reduce((sum, { id }) => {
      const partition = read(partitionOfRepository(id, settings.partitions));
      return sum + (partition ? countRanges(partition, id) : 0);
    }, 0);
  }

  /**
   * Returns the connection for a publication, after the checks that the gateway makes for a request.
   * @throws ServiceError `unavailable` while the directory cannot be read; otherwise as `connectionFor`
   */
  private async connectionOf(repoId: string, { rangeId, what }: Extract<DueAct, { make: 'publication' }>) {
    const { settings, delivering } = this.context;
    const [directory, partition] = [delivering.directory(), this.context.partition()];
    const listed = directory && readDirectoryRepository(directory, repoId);
    if (!directory || !listed || !belongsToListed(directory, listed, partition))
      throw new ServiceError('unavailable', 'The directory does not list the repository yet.');
    const { channel, persona } = what;
    const from = { settings, sealer: delivering.sealer, directory, partition };
    const through = connectionFor(from, { repoId, rangeId, persona }, channel);
    if (channelTraits[channel].needsRepository && !listed.ownership?.confirmed) {
      const { refusal } = await confirmOwner(delivering, repoId, confirmMs);
      if (refusal !== null) throw notConnected(channel, unconfirmedOwner(refusal));
    }
    return through;
  }

  /** Enqueues a command and waits until it is folded. Returns its result. */
  private async run(id: string, command: Command): Promise<CommandResult | undefined> {
    const { lane, folded, partition, logger } = this.context;
    const { seq } = await lane.enqueue({ id, at: Date.now(), kind: 'command', command });
    while (folded() < seq && !this.stopped) await pause(pollMs, undefined, { ref: false });
    const result = readResult(partition(), id);
    // An act that another command had carried out before has no publication of its own.
    const isOwn = result?.ok === true && !(result.value as { repeated?: true }).repeated;
    const about = isOwn ? auditedCommand(partition().name, command, result.value) : undefined;
    if (about) audit(logger, { ...about, outcome: 'done', by: 'automation' });
    return result;
  }
}

/** The ids that the command of an act needs. */
interface Ids {
  command: string;
  range: string;
  publication: string;
}

/**
 * Makes the ids of an act. The ids of an act of a run are the same in each attempt. An act about the unreleased range
 * has new ids: a branch has one such range, and a draft that has changed is not generated again.
 */
function idsOf(repoId: string, run: ActOfRun | null): Ids {
  const slot = slotInside(repoId);
  if (!run) return { command: ulid(), range: newId('range', slot), publication: newId('pub', slot) };
  const { tag, name, startedAt } = run;
  const text = `automation\n${repoId}\n${tag}\n${name}`;
  return {
    command: derivedUlid(startedAt, text),
    range: derivedId('range', slot, startedAt, text),
    publication: derivedId('pub', slot, startedAt, text),
  };
}

function refusalOf(
  { tag, name }: ActOfRun,
  { channel, persona, draft = false }: RulePublication,
  error: string,
): RefusedPublication {
  return { tag, name, channel, persona, draft, error };
}

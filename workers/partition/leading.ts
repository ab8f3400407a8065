/**
 * Runs everything that only the lead of a partition does: ticks, sweeps, the outbox, publications, outgoing webhooks,
 * checks of pull requests, and reading hosts (`docs/architecture.md` decision 32). It is started when this process
 * becomes the lead, and closed when another process has become the lead.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { isOneOfSeveral } from '../../config/nodes.ts';
import type { Settings } from '../../config/schema.ts';
import { ServiceError } from '../../src/foundation/errors.ts';
import { directoryName } from '../../src/foundation/partition-names.ts';
import { answerLeadQueries } from '../../src/journal/query.ts';
import type { PreviewTask, TestChannelTask } from '../../src/protocol/tasks.ts';
import type { WriteLog } from '../../src/store/write-log.ts';
import { NoteChecker } from '../checks/checker.ts';
import { Backfills } from '../host/backfills.ts';
import { Comparisons } from '../host/comparisons.ts';
import type { HostContext } from '../host/context.ts';
import { ownerRound } from '../host/owner-round.ts';
import { Rounds } from '../host/rounds.ts';
import { tagRound } from '../host/tag-sync.ts';
import type { PublishContext } from '../publish/context.ts';
import { Publisher } from '../publish/publisher.ts';
import { testChannel } from '../publish/test-channel.ts';
import { WebhookSender } from '../webhooks/sender.ts';
import { Automator } from './automation.ts';
import type { Lead } from './lead.ts';
import { Outbox } from './outbox.ts';
import type { PartitionOwner } from './owner.ts';
import { Resealer } from './resealer.ts';
import { answerMs, type Shared, type WorkerContext } from './shared.ts';
import { Sweeper } from './sweep-schedule.ts';
import { Ticker } from './ticks.ts';

/** The work of a lead. */
export interface Leading {
  /** Starts the work that a commit has caused. Must be called after each commit. */
  kick(): void;
  /** Asks the host for missing data about a range. */
  learn(question: Pick<PreviewTask, 'repoId' | 'bounds'>): Promise<void>;
  /** Starts nothing more, and waits for the work under way. */
  close(): Promise<void>;
}

/** What the work of a lead needs. */
export interface LeadingTools {
  context: WorkerContext;
  shared: Shared;
  owner: PartitionOwner;
  lead: Lead;
  /** The rows that the owner writes. */
  writes: WriteLog;
}

/** A question that only the lead answers, because its answer has effects outside the node. */
type LeadQuestion = TestChannelTask | LearnTask | { task: 'sweep' };

/** Asks the lead to ask the host for missing data about a range. The answer is the position that contains the data. */
export interface LearnTask extends Pick<PreviewTask, 'repoId' | 'bounds'> {
  task: 'learn';
}

/** A part of the work that a commit can cause. */
interface Part {
  kick?(): void;
  close(): void | Promise<void>;
}

/** Interval between two checks whether a sweep is due, in milliseconds. */
const pollMs = 5000;
const ticksPerLease = 5;

/** Starts the work of the lead of a partition. */
export function startLeading(tools: LeadingTools): Leading {
  const { context, shared, owner, lead } = tools;
  const { settings, logger } = context;
  const { name } = owner;
  const lane = shared.laneOf(name);
  const ticker = new Ticker(owner, lead, { tickMs: tickMsOf(settings), logger });
  const { sweepMinutes, partitions } = settings;
  const sweeper = new Sweeper(owner, { lane, lead, partitions, sweepMs: sweepMinutes * 60_000, pollMs });
  const { parts, comparisons } = name === directoryName ? directoryParts(tools) : repositoryParts(tools);
  const answers = answerLeadQueries(shared.journal, name, async (question: LeadQuestion) => {
    if (!lead.acts) throw new ServiceError('unavailable', 'The lead of the partition changes.', { retryAfter: 1 });
    if (question.task === 'sweep') return inTime(sweeper.sweep());
    if (question.task === 'learn') {
      await comparisons?.learn(question);
      return { seq: owner.seq };
    }
    return testChannel(shared.delivering, question, answerMs);
  });
  const all: readonly Part[] = [...parts, outboxOf(tools, comparisons)];
  return {
    kick: () => {
      if (lead.acts) for (const part of all) part.kick?.();
    },
    learn: async (question) => comparisons?.learn(question),
    close: async () => {
      answers.unsubscribe();
      ticker.close();
      await sweeper.close();
      await Promise.all(all.map((part) => part.close()));
    },
  };
}

/**
 * Returns the interval between ticks, in milliseconds. Where other nodes wait for the silence of the lead, several ticks
 * must fit into the lease.
 */
function tickMsOf(settings: Settings): number {
  const ms = settings.tickSeconds * 1000;
  return isOneOfSeveral(settings) ? Math.min(ms, (settings.leadSeconds * 1000) / ticksPerLease) : ms;
}

interface Parts {
  parts: readonly Part[];
  /** Asks hosts about ranges; undefined for the directory partition. */
  comparisons?: Comparisons;
}

/** The directory contains webhook endpoints and secrets. */
function directoryParts({ context: { logger }, shared, owner, lead }: LeadingTools): Parts {
  const { egress, sealer } = shared.delivering;
  const lane = shared.laneOf(owner.name);
  return {
    parts: [
      new WebhookSender({ owner, lead, lane, egress, sealer, logger }),
      new Resealer({ partition: () => owner.partition, lane, sealer, logger }),
    ],
  };
}

/** The other partitions contain repositories and their publications. */
function repositoryParts({ context: { settings, logger }, shared, owner, lead }: LeadingTools): Parts {
  const { delivering, pool, listed, owners, places } = shared;
  const lane = shared.laneOf(owner.name);
  const partition = () => owner.partition;
  const folded = () => owner.seq;
  const host: HostContext = { hosts: delivering.hosts, logger, lane, partition, folded, lead, listed, owners };
  const publishing: PublishContext = {
    ...delivering,
    ...{ dataDir: settings.dataDir, pool, lane, partition, folded, lead, formerMayLive: isOneOfSeveral(settings) },
  };
  const comparisons = new Comparisons(host);
  const everyMs = settings.tagSyncHours * 3_600_000;
  const rounds = [ownerRound(host), ...(everyMs > 0 ? [tagRound(host, everyMs)] : [])];
  return {
    comparisons,
    parts: [
      new Backfills(host, places),
      comparisons,
      ...rounds.map((round) => new Rounds(host, round)),
      new Publisher(publishing),
      new NoteChecker(publishing),
    ],
  };
}

function outboxOf({ context, shared, owner, writes }: LeadingTools, comparisons: Comparisons | undefined): Outbox {
  const { settings, logger } = context;
  const { pool, laneOf, delivering, read } = shared;
  const automator =
    comparisons &&
    new Automator({
      ...{ settings, logger, pool, lane: laneOf(owner.name), delivering, read },
      partition: () => owner.partition,
      folded: () => owner.seq,
      learn: (range) => comparisons.learn(range),
    });
  return new Outbox({ dataDir: settings.dataDir, owner, pool, logger, laneOf, automator, writes });
}

/**
 * Waits for a sweep, but no longer than the time limit of a question (`answerMs`). A sweep that takes longer continues,
 * and its outcome can be read in the partition.
 */
async function inTime(sweep: Promise<void>): Promise<{ done: boolean }> {
  const done = await Promise.race([sweep.then(() => true), pause(answerMs, false, { ref: false })]);
  return { done };
}

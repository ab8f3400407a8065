/**
 * Serves one partition on this node: opens its owner, answers questions about the partition, keeps its store, and starts
 * the work of the lead (`leading.ts`) while this process leads the partition.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { isOneOfSeveral } from '../../config/nodes.ts';
import { type AuditTask, audit } from '../../src/foundation/audit.ts';
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import { Sequence } from '../../src/foundation/sequence.ts';
import { answerQueries, askLead, queryMs } from '../../src/journal/query.ts';
import type { ConvertManifestTask } from '../../src/protocol/host-apps.ts';
import type { CheckHostTask, HostChecksTask } from '../../src/protocol/host-checks.ts';
import type {
  ChangesTask,
  ConfirmOwnerTask,
  DueTask,
  EntriesTask,
  PayloadTask,
  PoolTask,
  PreviewTask,
  PullNoteTask,
  RangePreviewTask,
  ResolveRepositoryTask,
  SettingsPreviewTask,
  SharedWrites,
  UnreleasedCountsTask,
  UnreleasedCountTask,
} from '../../src/protocol/tasks.ts';
import { PartitionLockedError } from '../../src/store/lock.ts';
import { readLead } from '../../src/store/tables/lead.ts';
import { WriteLog } from '../../src/store/write-log.ts';
import { convertApp } from '../host/app-manifest.ts';
import { HostChecks } from '../host/host-checks.ts';
import { resolveRepository } from '../host/repositories.ts';
import { confirmOwner } from '../publish/host.ts';
import { organizationOf, organizationOfTask } from '../render/organization.ts';
import { startCatchUp } from './catch-up.ts';
import { Keeper } from './housekeeping.ts';
import { Lead } from './lead.ts';
import { type Leading, type LearnTask, startLeading } from './leading.ts';
import { PartitionOwner, type RememberedAnswers } from './owner.ts';
import { RememberedPreviews } from './remembered-previews.ts';
import { answerMs, type Shared, type WorkerContext } from './shared.ts';
import { Standing, type StandingState } from './standing.ts';
import { UnreleasedCounter } from './unreleased-counts.ts';

/** A question that every owner answers: a task for the render pool, a question to a host, or a request of the command line. */
type Question =
  | PreviewTask
  | ChangesTask
  | RangePreviewTask
  | UnreleasedCountsTask
  | EntriesTask
  | SettingsPreviewTask
  | PullNoteTask
  | DueTask
  | PayloadTask
  | ResolveRepositoryTask
  | ConfirmOwnerTask
  | CheckHostTask
  | HostChecksTask
  | ConvertManifestTask
  | AuditTask
  | { task: 'snapshot' }
  | { task: 'offerSnapshot' }
  | { task: 'handOver' };

/**
 * Maximum time to count the unreleased changes of a repository in a render thread, in milliseconds. It does not depend on
 * the wait for a thread, so a repository that takes longer is known to be too costly.
 */
const countMs = 4000;
/** How long a node waits for what another node reads from a host, and then for the fold of it, in milliseconds. */
const [learnMs, reachMs] = [4000, 1000];
/** Interval between two checks of a keeper, in milliseconds. */
const pollMs = 5000;

/** One partition that this process serves. */
export interface ServedPartition {
  owner: PartitionOwner;
  /** Whether this process leads the partition, and may begin something now. */
  readonly leads: boolean;
  /** How the state compares with that of other nodes. */
  readonly standing: StandingState;
  /** Waits for the running work of the partition, and closes everything that serves the partition except its owner. */
  stop(): Promise<void>;
}

/**
 * Takes the ownership of a partition and serves it.
 * @param onLost called when the partition cannot continue
 * @throws PartitionLostError when nothing on this machine can restore the partition
 */
export async function serve(
  context: WorkerContext,
  shared: Shared,
  name: PartitionName,
  onLost: (name: PartitionName, error: Error) => void,
): Promise<ServedPartition> {
  const { settings, logger } = context;
  const { journal, pool, laneOf, peers } = shared;
  const { dataDir } = settings;
  let leading: Leading | undefined;
  let lead: Lead | undefined;
  let standing: Standing | undefined;
  // The work of a former lead must have ended before the same process begins again.
  const switching = new Sequence();
  const writes = new WriteLog();
  const counter = new UnreleasedCounter({
    isReady: () => owner.caughtUp,
    organizationOf: (repoId) => organizationOf(owner.partition, repoId),
    count: (repoId) => runAgain({ task: 'unreleasedCount', repoId }, answerMs, countMs),
  });
  const previews = new RememberedPreviews({
    isReady: () => owner.caughtUp,
    preview: (task) => runAgain(task, queryMs),
  });
  const owner = await takeOver(() =>
    PartitionOwner.open({
      dataDir,
      name,
      journal,
      logger,
      catchUp: (backlog, onFolded) => startCatchUp({ ...backlog, settings }, logger, onFolded),
      answers: together(counter, previews),
      source: peers && { peers },
      writes,
      onCommitted: (_, heardTerm) => {
        lead?.folded(heardTerm);
        leading?.kick();
      },
      onNamed: (named) => standing?.named(named),
      onLost: (_, error) => {
        // Other nodes take over a partition whose lead is silent, and do not wait for this store with their purges.
        void stopLeading();
        void peers?.leave(name);
        onLost(name, error);
      },
    }),
  );
  lead = new Lead({
    ...{ node: journal.node, lane: laneOf(name), logger, owner },
    leaseMs: isOneOfSeveral(settings) ? settings.leadSeconds * 1000 : undefined,
    onGained: beginLeading,
    onLost: () => void switching.run(endLeading),
  });
  if (peers) {
    standing = new Standing({
      ...{ dataDir, logger, owner, peers },
      lead: {
        doubt: () => lead?.doubt(),
        suspend: () => lead?.suspend(),
        trust: () => {
          lead?.trust();
          leading?.kick();
        },
      },
      nodeOf: (term) => {
        const known = readLead(owner.partition);
        return known?.term === term && known.node !== journal.node ? known.node : undefined;
      },
      handOver: async () => shared.handOver?.handOver(name),
    });
    peers.serve(owner, standing);
  }
  void context.mayLead.then(() => {
    if (!lead || lead.isClosed) return;
    shared.handOver?.add({
      ...{ name, lead, owner, resumeLeading: beginLeading },
      endLeading: () => switching.run(endLeading),
    });
    lead.start();
  });
  function beginLeading(): void {
    void switching.run(() => {
      if (lead?.term === undefined || leading) return;
      leading = startLeading({ context, shared, owner, lead, writes });
      leading.kick();
    });
  }
  async function endLeading(): Promise<void> {
    const ending = leading;
    leading = undefined;
    await ending?.close();
  }
  async function stopLeading(): Promise<void> {
    standing?.close();
    lead?.close();
    await switching.run(endLeading);
  }
  /** Runs a task in the render pool, in the name of the organization that the task is for. */
  function run<Work extends PoolTask['work']>(
    work: Work,
    maxWaitMs: number,
    { limitMs, writes }: { limitMs?: number; writes?: SharedWrites } = {},
  ) {
    const organization = organizationOfTask(owner.partition, work);
    const task = { dataDir, partition: name, work, ...(writes && { writes }) };
    return pool.run(task, { organization, maxWaitMs, ...(limitMs && { limitMs }) });
  }
  /** Runs a task that uses what an earlier one computed. A backlog that is folded in a thread is not recorded. */
  function runAgain<Work extends RangePreviewTask | UnreleasedCountTask | PayloadTask>(
    work: Work,
    maxWaitMs: number,
    limitMs?: number,
  ) {
    const watched = owner.caughtUp && { writes: writes.watch(work.repoId) };
    return run(work, maxWaitMs, { ...(limitMs && { limitMs }), ...watched });
  }
  /** Has missing data about a range read from the host. Without a lead, the range is counted from the captured data. */
  async function learn({ repoId, bounds }: PreviewTask): Promise<void> {
    if (leading || !isOneOfSeveral(settings)) return leading?.learn({ repoId, bounds });
    const question: LearnTask = { task: 'learn', repoId, bounds };
    const known = readLead(owner.partition);
    const asking = askLead<LearnTask, { seq: number }>(journal, name, known, question, learnMs);
    const learned = await asking.catch(() => undefined);
    if (learned) await owner.reach(learned.seq, reachMs);
  }
  const keeper = new Keeper(owner, {
    lane: laneOf(name),
    snapshotMs: settings.snapshotMinutes * 60_000,
    pollMs,
    company: peers && { peers, leads: () => lead?.acts === true },
  });
  const hostChecks = new HostChecks({ hosts: shared.delivering.hosts });
  const answers = answerQueries(journal, name, async (question: Question) => {
    const asked = performance.now();
    if (question.task === 'snapshot') return keeper.snapshot();
    if (question.task === 'offerSnapshot') return keeper.offer();
    if (question.task === 'handOver') return shared.handOver?.leave(name) ?? { led: true, handedOver: false };
    if (question.task === 'audit') return audit(logger, question.line);
    if (question.task === 'resolveRepository') return resolveRepository(shared.delivering, owner.partition, question);
    if (question.task === 'checkHost') return hostChecks.check(question.origin);
    if (question.task === 'convertManifest') return convertApp(shared.delivering, question, answerMs);
    if (question.task === 'hostChecks') return hostChecks.list();
    if (question.task === 'confirmOwner') return confirmOwner(shared.delivering, question.repoId, answerMs);
    if (question.task === 'preview') await learn(question);
    if (question.task === 'rangePreview') return previews.of(question);
    if (question.task === 'unreleasedCounts') return counter.of(question.repoIds, question.waitMs);
    const left = asked + queryMs - performance.now();
    return question.task === 'payload' && question.provisional ? runAgain(question, left) : run(question, left);
  });
  const stop = async (): Promise<void> => {
    answers.unsubscribe();
    await shared.handOver?.handOver(name);
    await keeper.close();
    await peers?.leave(name);
    await stopLeading();
  };
  return {
    owner,
    get leads() {
      return lead?.acts ?? false;
    },
    get standing() {
      return standing?.state ?? 'sound';
    },
    stop,
  };
}

/** Joins memories of answers, so that one commit reaches all of them. */
function together(...memories: readonly RememberedAnswers[]): RememberedAnswers {
  return {
    get isEmpty() {
      return memories.every(({ isEmpty }) => isEmpty);
    },
    forget: (touched) => {
      for (const memory of memories) memory.forget(touched);
    },
  };
}

/**
 * Opens the partition. If the partition is locked, the function tries again for five seconds, because a former owner
 * that crashed can take a moment to end. If the lock lasts longer, the set-up is wrong.
 */
async function takeOver(open: () => Promise<PartitionOwner>): Promise<PartitionOwner> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof PartitionLockedError) || attempt >= 50) throw error;
      await pause(100);
    }
  }
}

/**
 * What a node does for the other machines of its cluster: hands the keys of the cluster to machines with a token, and
 * reports its state.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '../../config/schema.ts';
import { requireClusterId } from '../cluster/identity.ts';
import { answerJoin, type JoinOutcome } from '../cluster/join.ts';
import type { Logger } from '../foundation/logger.ts';
import { partitionNames } from '../foundation/partition-names.ts';
import { version } from '../foundation/version.ts';
import { answerJoins, answerStatus } from '../journal/cluster.ts';
import type { Journal } from '../journal/connect.ts';
import { ask } from '../journal/query.ts';
import type { ClockWatch } from './clock-watch.ts';
import { clusterKeys } from './cluster-keys.ts';

/** How long a snapshot of a large partition may take, in milliseconds. */
const snapshotMs = 600_000;
/** Maximum time of a comparison of the clocks for an answer. Those who ask wait 1.5 seconds. */
const clockMs = 1000;

/**
 * Answers the requests of other machines for as long as the connection is open.
 * @param settings the settings of this node, with the webhook secrets that are in use
 * @param waitingFor returns what keeps this node from being ready
 */
export function serveCluster(
  journal: Journal,
  settings: Settings,
  waitingFor: () => readonly string[],
  clock: ClockWatch,
  logger: Logger,
): void {
  const { node, dataDir } = settings;
  const outcomeOf = (request: unknown): JoinOutcome => {
    try {
      const cluster = requireClusterId(settings) as string;
      return answerJoin(dataDir, request, () => clusterKeys(settings), { cluster, node }, Date.now());
    } catch (error) {
      logger.error({ err: error }, 'the keys of the cluster cannot be read for a machine that joins');
      const message = `Node ${node} cannot read the keys of its cluster. Its log contains the reason.`;
      return { reply: { ok: false, message }, node: '' };
    }
  };
  answerJoins(journal, (request) => {
    const { reply, node: name } = outcomeOf(request);
    if (reply.ok) {
      logger.info({ joined: name }, 'a machine has joined the cluster with a token');
      void offerSnapshots(journal, settings.partitions, logger);
    } else logger.warn({ node: name, reason: reply.message }, 'a request to join the cluster was refused');
    return reply;
  });
  answerStatus(journal, async () => {
    // During an election the servers report no time for seconds, and an answer that is late counts as none.
    await Promise.race([clock.check(), pause(clockMs, undefined, { ref: false })]);
    return { from: 'supervisor', node, version, waitingFor: waitingFor(), clockOffsetMs: clock.offsetMs };
  });
}

/**
 * Lets the workers of this node take the snapshots that the new machine needs. Without one that its journal continues,
 * the machine would wait until the next snapshot is due.
 */
async function offerSnapshots(journal: Journal, partitions: number, logger: Logger): Promise<void> {
  for (const name of partitionNames(partitions)) {
    try {
      await ask(journal, name, { task: 'offerSnapshot' }, snapshotMs);
    } catch (error) {
      logger.warn({ partition: name, err: error }, 'snapshot for the new machine failed; the next one serves it');
    }
  }
}

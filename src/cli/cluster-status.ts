/**
 * `tidings cluster status` shows the state of all nodes and partitions. `tidings cluster upgrade` raises the version of
 * the fold rules in every partition.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '../../config/schema.ts';
import { ClusterError } from '../cluster/identity.ts';
import { type ClusterReport, reportLines, summarize, upgradeOf } from '../cluster/status.ts';
import { ulid } from '../foundation/ids.ts';
import { createLogger } from '../foundation/logger.ts';
import { type PartitionName, partitionNames } from '../foundation/partition-names.ts';
import { askStatus } from '../journal/cluster.ts';
import type { Journal } from '../journal/connect.ts';
import { Lane } from '../journal/lane.ts';
import { streamState } from '../journal/topology.ts';
import { withServers } from './cluster-servers.ts';
import { printJson } from './json.ts';
import { printLines } from './print.ts';
import type { clusterEntry } from './table/cluster.ts';
import type { Run } from './usage.ts';

/** How long an upgrade waits until all nodes have folded it, in milliseconds. */
const upgradeMs = 20_000;

export const runStatus: Run<typeof clusterEntry.actions.status> = ({ json }) =>
  withServers(async (journal, settings) => {
    const report = await reportOf(journal, settings);
    if (json) printJson(report);
    else printLines(reportLines(report));
    return report.faults.length > 0 ? 1 : 0;
  });

export const runUpgrade: Run<typeof clusterEntry.actions.upgrade> = () =>
  withServers(async (journal, settings) => {
    const step = upgradeOf(await reportOf(journal, settings));
    if ('refused' in step) throw new ClusterError(step.refused);
    const { version, partitions } = step;
    if (partitions.length === 0) {
      printLines([`All partitions are folded by version ${version}, the highest that the nodes know.`]);
      return 0;
    }
    for (const name of partitions) await raise(journal, settings, name, version);
    const left = await unraised(journal, settings, version);
    printLines([
      `Raised the fold version to ${version} in ${partitions.join(', ')}.`,
      ...left.map((place) => `${place} has not folded this yet. See: tidings cluster status`),
    ]);
    return left.length > 0 ? 1 : 0;
  });

async function raise(journal: Journal, settings: Settings, name: PartitionName, version: number): Promise<void> {
  const lane = new Lane(journal, name, settings, createLogger('cli', 'error'));
  try {
    const at = Date.now();
    await lane.enqueue({ id: ulid(at), at, kind: 'foldVersion', version });
  } finally {
    await lane.close();
  }
}

/** Waits until all nodes fold by the version. Returns the partitions that do not after some time, with their nodes. */
async function unraised(journal: Journal, settings: Settings, version: number): Promise<string[]> {
  const deadline = performance.now() + upgradeMs;
  for (;;) {
    const { partitions } = await reportOf(journal, settings);
    const left = partitions.flatMap(({ name, nodes }) =>
      nodes.flatMap(({ node, foldVersion }) => (foldVersion < version ? [`${name} on node ${node}`] : [])),
    );
    if (left.length === 0 || performance.now() > deadline) return left;
    await pause(200);
  }
}

/** Asks all nodes for their state. */
export async function reportOf(journal: Journal, settings: Settings): Promise<ClusterReport> {
  const names = partitionNames(settings.partitions);
  // The ends are read first, so that a node never seems to be behind by messages that came after its answer.
  const ends = await Promise.all(
    names.map(async (name) => [name, (await streamState(journal, name).catch(() => undefined))?.lastSeq] as const),
  );
  const answers = await askStatus(journal);
  return summarize(answers, names, new Map(ends.flatMap(([name, end]) => (end === undefined ? [] : [[name, end]]))));
}

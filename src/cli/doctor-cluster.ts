/**
 * Checks a node of several machines, for `tidings doctor`: its identity, the NATS servers as this machine reaches them,
 * the copies of the streams, the other nodes and the clock.
 */

import { readFileSync } from 'node:fs';
import { isOneOfSeveral } from '../../config/nodes.ts';
import type { Settings } from '../../config/schema.ts';
import { ClusterError, differences, requireClusterId } from '../cluster/identity.ts';
import type { ClusterReport } from '../cluster/status.ts';
import { partitionNames } from '../foundation/partition-names.ts';
import { clockOffset, serverTime } from '../journal/clock.ts';
import type { Journal } from '../journal/connect.ts';
import { askInstances, type Instance } from '../journal/instance.ts';
import { replicasOf, type ServerAnswer, type StreamReplicas } from '../journal/servers.ts';
import { streamOf } from '../journal/subjects.ts';
import type { Identity } from '../protocol/identity.ts';
import { Readers } from '../store/readers.ts';
import { readCursor } from '../store/tables/meta.ts';
import { identityOf, webhookSecretFile } from '../supervisor/first-start.ts';
import { reportOf } from './cluster-status.ts';
import type { Finding } from './finding.ts';

/** Offsets of the clock from which it is reported, and from which the node is not ready, in seconds. */
const [warnedSeconds, maxSeconds] = [2, 30];

/** Checks whether the settings and the data directory belong to the same cluster, or to none. */
export function checkMembership(settings: Settings): Finding[] {
  try {
    const cluster = requireClusterId(settings);
    return cluster === undefined ? [] : [ok(`this machine is node ${settings.node} of cluster ${cluster}`)];
  } catch (error) {
    if (error instanceof ClusterError) return [fault(error.message)];
    throw error;
  }
}

/**
 * Reports how far this machine has folded each partition. When the NATS servers have lost their disks, the machine that has
 * folded most is started first.
 */
export async function describePositions(settings: Settings): Promise<Finding[]> {
  if (!isOneOfSeveral(settings)) return [];
  const { dataDir, partitions } = settings;
  const readers = new Readers(dataDir);
  try {
    const positions = partitionNames(partitions).flatMap((name) => {
      const partition = readers.fresh(name);
      return partition ? [`${name} ${readCursor(partition).seq}`] : [];
    });
    return positions.length === 0 ? [] : [ok(`folded up to: ${positions.join(', ')}`)];
  } finally {
    await readers.close();
  }
}

/**
 * Reports whether this machine reaches enough servers of a cluster. One that is missing is a fault: nothing is lost, but
 * the loss of another one would stop all writes.
 */
export function describeServers(answers: readonly ServerAnswer[], isNode: boolean): Finding[] {
  const clusters = new Set(answers.flatMap((answer) => ('name' in answer ? [answer.cluster] : [])));
  const findings = answers.map((answer) => describeServer(answer, isNode, clusters.size > 1));
  const usable = answers.filter((answer) => 'name' in answer).length;
  const majority = Math.floor(answers.length / 2) + 1;
  if (usable > 0 && usable < majority) {
    findings.push(
      fault(
        `this machine reaches ${usable} of ${answers.length} NATS servers. If the others are down, no record is accepted until ${majority} run`,
      ),
    );
  }
  return findings;
}

/** Errors of the NATS client about a server that says nothing. */
const silence = /^(CONNECTION_REFUSED|CONNECTION_TIMEOUT|TIMEOUT)\b/;

function describeServer(answer: ServerAnswer, isNode: boolean, differ: boolean): Finding {
  if ('fault' in answer) {
    const what = silence.test(answer.fault) ? 'does not answer' : 'cannot be used';
    return fault(
      `NATS server ${answer.address} ${what}: ${answer.fault.replace(/\.$/, '')}. Start it, or remove it from TIDINGS_NATS_URL`,
    );
  }
  const { address, name, version, cluster, isOld } = answer;
  const text = `NATS server ${address} answers: ${name}, version ${version}`;
  if (isNode && isOld) return fault(`${text}: several machines need version 2.12 or later`);
  if (!differ) return ok(text);
  const own = cluster === '' ? 'no cluster' : `the cluster ${cluster}`;
  return fault(
    `${text}. It belongs to ${own}, and other servers of TIDINGS_NATS_URL do not: give all the same cluster name and routes`,
  );
}

/** Checks everything about a node that needs a connection to the NATS servers. */
export async function checkNode(settings: Settings, journal: Journal): Promise<Finding[]> {
  const names = partitionNames(settings.partitions);
  const streams = await Promise.all(names.map((name) => replicasOf(journal, name)));
  return [
    ...describeReplicas(streams, settings.journalReplicas),
    ...describeNodes(await reportOf(journal, settings), settings.node),
    ...describeIdentity(ownIdentity(settings), await askInstances(journal), settings.node),
    describeClock(await clockOffset(() => serverTime(journal))),
  ];
}

/** Reports whether all streams have the wanted copies, and whether all copies are current. */
export function describeReplicas(streams: readonly StreamReplicas[], wanted: number): Finding[] {
  const few = streams.filter(({ replicas }) => replicas < wanted);
  const behind = new Map<string, { names: string[]; isOffline: boolean }>();
  for (const { partition, followers } of streams) {
    for (const { name, current, offline } of followers) {
      if (current && !offline) continue;
      const known = behind.get(name) ?? { names: [], isOffline: false };
      behind.set(name, { names: [...known.names, partition], isOffline: known.isOffline || offline });
    }
  }
  const leaderless = streams.filter(({ replicas, leader }) => replicas > 1 && leader === '');
  const findings = [
    ...few.map(({ partition, replicas }) =>
      fault(
        `stream of ${partition} has ${copies(replicas)}, expected ${wanted} (TIDINGS_JOURNAL_REPLICAS). Run: nats stream edit ${streamOf(partition)} --replicas ${wanted}`,
      ),
    ),
    ...leaderless.map(({ partition }) => fault(`stream of ${partition} has no leader: it accepts no records now`)),
    ...[...behind].map(([name, { names, isOffline }]) =>
      fault(
        isOffline
          ? `NATS server ${name} is offline: its copies of ${names.join(', ')} are missing`
          : `NATS server ${name} is behind with its copies of ${names.join(', ')}. Stop no other server until it has caught up`,
      ),
    ),
  ];
  if (findings.length > 0) return findings;
  const least = Math.min(...streams.map(({ replicas }) => replicas));
  return [
    least > 1
      ? ok(`all ${streams.length} streams have ${copies(least)}, and all are current`)
      : {
          verdict: 'note',
          text: `each stream has ${copies(1)}: the loss of one NATS server stops the service. Three copies need three servers, TIDINGS_JOURNAL_REPLICAS=3, and nats stream edit for streams that exist`,
        },
  ];
}

function copies(count: number): string {
  return count === 1 ? '1 copy' : `${count} copies`;
}

/** Reports which nodes answer, and what is wrong with the cluster. */
export function describeNodes({ nodes, faults, notes }: ClusterReport, own: string): Finding[] {
  const names = nodes.map(({ node }) => node);
  const others = names.filter((name) => name !== own);
  const text = `nodes that answer: ${names.join(', ')}`;
  return [
    ...(names.includes(own) ? [] : [note(`node ${own} does not answer: the service does not run on this machine`)]),
    others.length > 0 ? ok(text) : note(`${names.length > 0 ? `${text}. No` : 'no'} other node was heard`),
    ...faults.map((each) => (names.length > 0 ? fault(each) : note(each))),
    ...notes.map(note),
  ];
}

/** Compares what this machine would start with to what the other nodes have. */
export function describeIdentity(own: Identity | undefined, instances: readonly Instance[], node: string): Finding[] {
  if (own === undefined) return [];
  const others = instances.filter((other) => other.node !== undefined && other.node !== node);
  const faults = others.flatMap(({ node: name, identity }) =>
    identity ? differences(own, identity, `node ${name}`).map(({ text }) => fault(`this node differs in ${text}`)) : [],
  );
  if (faults.length > 0 || others.length === 0) return faults;
  return [ok('keys and number of partitions are those of the other nodes')];
}

/** Reports how far the clock of this machine is from that of the NATS server. */
export function describeClock(offset: number): Finding {
  const size = Math.abs(offset);
  if (size <= warnedSeconds) return ok('clock agrees with the clock of the NATS server');
  const text = `clock is ${size.toFixed(1)} seconds ${offset > 0 ? 'ahead of' : 'behind'} the clock of the NATS server`;
  if (size <= maxSeconds) return fault(`${text}: check its NTP service`);
  return fault(`${text}: a node is not ready beyond ${maxSeconds} seconds. Check its NTP service`);
}

/** Returns the identity that the service would start with; undefined if the data directory has none. */
function ownIdentity(settings: Settings): Identity | undefined {
  try {
    const { dataDir, webhookSecrets } = settings;
    const secrets =
      webhookSecrets.length > 0 ? webhookSecrets : [readFileSync(webhookSecretFile(dataDir), 'utf8').trim()];
    return identityOf({ ...settings, webhookSecrets: secrets });
  } catch {
    // The checks of the data directory and of the sealing key report what is missing.
    return undefined;
  }
}

const ok = (text: string): Finding => ({ verdict: 'ok', text });
const note = (text: string): Finding => ({ verdict: 'note', text });
const fault = (text: string): Finding => ({ verdict: 'fault', text });

/** Summarizes the answers of all nodes to the question for their state, and finds faults in them. */
import type { PartitionStatus, StatusAnswer } from '../journal/cluster.ts';
import type { NamedDigest } from '../journal/snapshots.ts';

/** The state of a node. */
export interface NodeReport {
  node: string;
  version: string;
  /** The highest version of fold rules that all its workers know; null if no worker has answered. */
  foldVersion: number | null;
  ready: boolean;
  waitingFor: readonly string[];
  clockOffsetMs: number | null;
  /** Number of partitions that the node leads. */
  leads: number;
}

/** The state of a partition on all nodes. `behind` is the number of messages that a node has not folded yet. */
export interface PartitionReport {
  name: string;
  /** Sequence of the last message in the stream; null if the servers do not report it. */
  end: number | null;
  /** Names of the nodes that lead the partition. There should be exactly one. */
  leads: readonly string[];
  term: number | null;
  nodes: readonly (PartitionStatus & { node: string; behind: number | null })[];
  /** The nodes on which the partition does not continue, and why. */
  stopped: readonly { node: string; cause: string }[];
}

/** The state of a cluster. A fault needs a person, a note does not. */
export interface ClusterReport {
  nodes: readonly NodeReport[];
  partitions: readonly PartitionReport[];
  faults: readonly string[];
  notes: readonly string[];
}

/** Maximum difference of a clock that is not reported, in milliseconds. */
const maxOffsetMs = 2000;

/**
 * Summarizes the state of a cluster.
 * @param names names of all partitions
 * @param ends sequence of the last message in the stream of each partition
 */
export function summarize(
  answers: readonly StatusAnswer[],
  names: readonly string[],
  ends: ReadonlyMap<string, number>,
): ClusterReport {
  const known = [...new Set(answers.map(({ node }) => node))].sort();
  const nodes = known.map((node) => nodeReport(node, answers));
  const partitions = names.map((name) => partitionReport(name, answers, ends.get(name) ?? null));
  return { nodes, partitions, faults: faultsOf(nodes, partitions), notes: notesOf(nodes, partitions) };
}

function nodeReport(node: string, answers: readonly StatusAnswer[]): NodeReport {
  const own = answers.filter((answer) => answer.node === node);
  const supervisor = own.find((answer) => answer.from === 'supervisor');
  const workers = own.filter((answer) => answer.from === 'worker');
  const waitingFor = supervisor?.waitingFor ?? ['supervisor'];
  return {
    node,
    version: own[0]?.version ?? '',
    foldVersion: workers.length > 0 ? Math.min(...workers.map(({ foldVersion }) => foldVersion)) : null,
    ready: waitingFor.length === 0,
    waitingFor,
    clockOffsetMs: supervisor?.clockOffsetMs ?? null,
    leads: workers.flatMap(({ partitions }) => partitions).filter(({ leads }) => leads).length,
  };
}

function partitionReport(name: string, answers: readonly StatusAnswer[], end: number | null): PartitionReport {
  const nodes = answers
    .flatMap((answer) =>
      answer.from === 'worker' ? answer.partitions.map((each) => ({ ...each, node: answer.node })) : [],
    )
    .filter((each) => each.name === name)
    .map((each) => ({ ...each, behind: end === null ? null : Math.max(0, end - each.seq) }))
    .sort((a, b) => (a.node < b.node ? -1 : 1));
  const stopped = answers.flatMap((answer) =>
    answer.from === 'worker'
      ? answer.stopped.filter((each) => each.name === name).map(({ cause }) => ({ node: answer.node, cause }))
      : [],
  );
  const terms = nodes.flatMap(({ lead }) => (lead ? [lead.term] : []));
  return {
    ...{ name, end, nodes, stopped },
    leads: nodes.flatMap(({ node, leads }) => (leads ? [node] : [])),
    term: terms.length > 0 ? Math.max(...terms) : null,
  };
}

function faultsOf(nodes: readonly NodeReport[], partitions: readonly PartitionReport[]): string[] {
  return [...nodes.flatMap(nodeFaults), ...partitions.flatMap((partition) => partitionFaults(partition, nodes))];
}

function nodeFaults({ node, ready, waitingFor, clockOffsetMs }: NodeReport): string[] {
  const offset = clockOffsetMs ?? 0;
  return [
    ...(ready ? [] : [`node ${node} is not ready: waiting for ${waitingFor.join(', ')}`]),
    ...(Math.abs(offset) > maxOffsetMs
      ? [
          `the clock of node ${node} is ${secondsOf(Math.abs(offset))} ${offset > 0 ? 'ahead of' : 'behind'} that of its NATS server`,
        ]
      : []),
  ];
}

function partitionFaults({ name, leads, nodes, stopped }: PartitionReport, all: readonly NodeReport[]): string[] {
  const known = new Set([...nodes, ...stopped].map(({ node }) => node));
  const absent = all.map(({ node }) => node).filter((node) => !known.has(node));
  return [
    ...(leads.length === 0 ? [`${name} has no lead`] : []),
    ...(leads.length > 1 ? [`${name} has several leads: ${leads.join(', ')}`] : []),
    ...absent.map((node) => `${name} is not served on node ${node}`),
    ...stopped.map(({ node, cause }) => `${name} is stopped on node ${node}: ${cause}`),
    ...nodes.flatMap(({ node, standing }) => standingFaults(name, node, standing)),
    ...differing(nodes).map((text) => `${name}: ${text}`),
  ];
}

/** Describes what a node does while its state differs from that of other nodes. */
function standingFaults(name: string, node: string, standing: PartitionStatus['standing']): string[] {
  if (standing === 'doubted') return [`${name}: node ${node} asks the others whose state is wrong`];
  if (standing === 'undecided')
    return [`${name} is not served on node ${node}: states differ, and a person must decide which one is right`];
  return standing === 'diverged' ? [`${name}: node ${node} has a wrong state`] : [];
}

/**
 * Finds nodes whose states differ after the same message. Of all positions where they differ, the one that most nodes
 * know is described: there, a majority shows whose state is wrong.
 */
function differing(nodes: PartitionReport['nodes']): string[] {
  const all = nodes.map(({ node, digest, named }) => ({ node, digests: [...named, ...(digest ? [digest] : [])] }));
  const seqs = [...new Set(all.flatMap(({ digests }) => digests.map(({ seq }) => seq)))].sort((a, b) => b - a);
  const found = seqs
    .map((seq) => ({ seq, groups: groupsAt(seq, all) }))
    .filter(({ groups }) => groups.length > 1)
    .sort((a, b) => countNodes(b.groups) - countNodes(a.groups))[0];
  if (!found) return [];
  const { seq, groups } = found;
  const texts = groups.map(({ value, at }) => `${at.join(' and ')} ${at.length > 1 ? 'have' : 'has'} digest ${value}`);
  const [most, ...others] = groups;
  const isClear = most && countNodes(groups) >= 3 && most.at.length > countNodes(groups) / 2;
  const wrong = isClear ? `, so ${others.flatMap(({ at }) => at).join(' and ')} is wrong` : '';
  return [`the states differ at sequence ${seq}: ${texts.join(', ')}${wrong}`];
}

/** Nodes with the same digest. */
interface Group {
  value: number;
  at: string[];
}

/** Groups the nodes by their digests at a position, the largest group first. */
function groupsAt(seq: number, nodes: readonly { node: string; digests: readonly NamedDigest[] }[]): Group[] {
  const groups = new Map<number, Group>();
  for (const { node, digests } of nodes) {
    const value = digests.find((digest) => digest.seq === seq)?.value;
    if (value === undefined) continue;
    const group = groups.get(value) ?? { value, at: [] };
    group.at.push(node);
    groups.set(value, group);
  }
  return [...groups.values()].sort((a, b) => b.at.length - a.at.length);
}

function countNodes(groups: readonly Group[]): number {
  return groups.reduce((sum, { at }) => sum + at.length, 0);
}

function notesOf(nodes: readonly NodeReport[], partitions: readonly PartitionReport[]): string[] {
  const known = nodes.flatMap(({ foldVersion }) => (foldVersion === null ? [] : [foldVersion]));
  const inForce = partitions.flatMap((partition) => partition.nodes.map(({ foldVersion }) => foldVersion));
  const common = Math.min(...known);
  if (known.length === 0 || known.length < nodes.length || inForce.every((version) => version >= common)) return [];
  return [
    `all nodes know fold version ${common}, but not all partitions are folded by it. Run: tidings cluster upgrade`,
  ];
}

/** The step that a cluster can take to newer fold rules. */
export type Upgrade = { version: number; partitions: readonly string[] } | { refused: string };

/** Finds the fold version that all nodes know, and the partitions that do not have it yet. */
export function upgradeOf({ nodes, partitions }: ClusterReport): Upgrade {
  const silent = nodes.filter(({ foldVersion }) => foldVersion === null);
  if (nodes.length === 0) return { refused: 'No node is running on these NATS servers.' };
  if (silent.length > 0) {
    return { refused: `Which rules node ${namesOf(silent)} knows is not known, because its workers do not answer.` };
  }
  const known = nodes.map(({ foldVersion }) => foldVersion as number);
  const highest = Math.max(...known);
  const behind = nodes.filter(({ foldVersion }) => foldVersion !== highest);
  if (behind.length > 0) {
    const [first] = behind;
    return {
      refused: `Node ${namesOf(behind)} knows fold version ${first?.foldVersion}, but another node knows ${highest}. First install the newer version of Tidings on all nodes (${first?.node} has ${first?.version}).`,
    };
  }
  const lower = partitions.filter((partition) => partition.nodes.some(({ foldVersion }) => foldVersion < highest));
  return { version: highest, partitions: lower.map(({ name }) => name) };
}

function namesOf(nodes: readonly NodeReport[]): string {
  return nodes.map(({ node }) => node).join(', ');
}

/** Formats a time such as 1.3 s. */
function secondsOf(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Returns the report as lines that a person reads at a glance. */
export function reportLines({ nodes, partitions, faults, notes }: ClusterReport): string[] {
  const nodeRows = nodes.map(({ node, version, ready, clockOffsetMs, leads, foldVersion }) => [
    ...[node, version, ready ? 'yes' : 'no', String(leads), String(foldVersion ?? '?')],
    clockOffsetMs === null ? '?' : `${clockOffsetMs <= -50 ? '-' : '+'}${secondsOf(Math.abs(clockOffsetMs))}`,
  ]);
  const partitionRows = partitions.map(({ name, end, leads, term, nodes: on }) => [
    ...[name, leads.join(' and ') || 'none', String(term ?? '-'), String(end ?? '?')],
    on.map(({ node, behind, caughtUp }) => `${node} ${behind ?? '?'}${caughtUp ? '' : ' (catching up)'}`).join(', ') ||
      '-',
    [...new Set(on.map(({ foldVersion }) => foldVersion))].join(', ') || '?',
  ]);
  return [
    ...columns([['NODE', 'VERSION', 'READY', 'LEADS', 'KNOWS FOLD', 'CLOCK'], ...nodeRows]),
    '',
    ...columns([['PARTITION', 'LEAD', 'TERM', 'END', 'BEHIND', 'FOLD'], ...partitionRows]),
    '',
    ...(faults.length === 0 ? ['no faults'] : faults.map((fault) => `fault: ${fault}`)),
    ...notes.map((note) => `note: ${note}`),
  ];
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

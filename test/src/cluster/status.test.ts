/** Tests the summary of a cluster's state: the faults that it finds, the table, and when an upgrade is possible. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportLines, summarize, upgradeOf } from '../../../src/cluster/status.ts';
import type { PartitionStatus, StatusAnswer, SupervisorStatus, WorkerStatus } from '../../../src/journal/cluster.ts';

const names = ['directory', 'p00'];
const ends = new Map([
  ['directory', 7],
  ['p00', 9],
]);

function supervisor(node: string, more: Partial<SupervisorStatus> = {}): SupervisorStatus {
  return { from: 'supervisor', node, version: '1.0.0', waitingFor: [], clockOffsetMs: 3, ...more };
}

function partition(name: string, more: Partial<PartitionStatus> = {}): PartitionStatus {
  const seq = ends.get(name) as number;
  const lead = { term: 2, node: 'a' };
  const rest = { digest: { seq, value: 5 }, named: [], standing: 'sound' as const };
  return { name, seq, caughtUp: true, leads: false, lead, foldVersion: 1, ...rest, ...more };
}

function worker(node: string, partitions: PartitionStatus[], more: Partial<WorkerStatus> = {}): WorkerStatus {
  return { from: 'worker', node, version: '1.0.0', foldVersion: 1, partitions, stopped: [], ...more };
}

const healthy: StatusAnswer[] = [
  worker('b', [partition('p00', { leads: true }), partition('directory', { seq: 5, digest: { seq: 5, value: 9 } })]),
  ...[supervisor('b'), supervisor('a')],
  worker('a', [partition('p00'), partition('directory', { leads: true })]),
];
const report = (answers: StatusAnswer[]) => summarize(answers, names, ends);

test('a healthy cluster has no faults, and shows who leads and who is behind', () => {
  const { nodes, partitions, faults, notes } = report(healthy);
  assert.deepEqual([faults, notes], [[], []]);
  assert.deepEqual(
    nodes.map(({ node, ready, leads, foldVersion }) => [node, ready, leads, foldVersion]),
    [
      ['a', true, 1, 1],
      ['b', true, 1, 1],
    ],
  );
  assert.deepEqual(
    partitions.map(({ name, leads, nodes: on }) => [name, leads, on.map(({ node, behind }) => [node, behind])]),
    [
      [
        'directory',
        ['a'],
        [
          ['a', 0],
          ['b', 2],
        ],
      ],
      [
        'p00',
        ['b'],
        [
          ['a', 0],
          ['b', 0],
        ],
      ],
    ],
  );
  assert.deepEqual(reportLines(report(healthy)), [
    'NODE  VERSION  READY  LEADS  KNOWS FOLD  CLOCK',
    'a     1.0.0    yes    1      1           +0.0 s',
    'b     1.0.0    yes    1      1           +0.0 s',
    '',
    'PARTITION  LEAD  TERM  END  BEHIND    FOLD',
    'directory  a     2     7    a 0, b 2  1',
    'p00        b     2     9    a 0, b 0  1',
    '',
    'no faults',
  ]);
});

test('partitions without lead or with several, and nodes that do not serve one, are faults', () => {
  const faults = report([
    ...[supervisor('a'), supervisor('b', { waitingFor: ['gateway'], clockOffsetMs: -4200 })],
    worker('a', [partition('p00', { leads: true }), partition('directory')]),
    worker('b', [partition('p00', { leads: true })]),
  ]).faults;
  assert.deepEqual(faults, [
    'node b is not ready: waiting for gateway',
    'the clock of node b is 4.2 s behind that of its NATS server',
    'directory has no lead',
    'directory is not served on node b',
    'p00 has several leads: a, b',
  ]);
});

test('different digests are a fault at the same sequence only', () => {
  const at = (node: string, seq: number, value: number) =>
    worker(node, [
      partition('directory', { leads: node === 'a' }),
      partition('p00', { leads: node === 'a', seq, digest: { seq, value } }),
    ]);
  const nodes = ['a', 'b', 'c'].map((node) => supervisor(node));
  const { faults } = report([...nodes, at('a', 9, 1), at('b', 8, 2), at('c', 9, 3)]);
  assert.deepEqual(faults, ['p00: the states differ at sequence 9: a has digest 1, c has digest 3']);
});

test('nodes at different positions are compared where ticks have named digests, and the odd one is named', () => {
  const at = (node: string, seq: number, digests: [number, number][], standing: PartitionStatus['standing']) => {
    const named = digests.map(([named, value]) => ({ seq: named, value }));
    const first = partition('p00', { leads: node === 'a', seq, digest: null, named, standing });
    return worker(node, [partition('directory', { leads: node === 'a' }), first]);
  };
  const nodes = ['a', 'b', 'c'].map((node) => supervisor(node));
  const digests = (...values: number[]): [number, number][] => values.map((value, i) => [4 + 2 * i, value]);
  const [right, wrong] = [digests(40, 60), digests(41, 61)];
  const three = [at('a', 9, right, 'sound'), at('b', 8, wrong, 'diverged'), at('c', 5, digests(40), 'sound')];
  assert.deepEqual(report([...nodes, ...three]).faults, [
    'p00: node b has a wrong state',
    'p00: the states differ at sequence 4: a and c have digest 40, b has digest 41, so b is wrong',
  ]);
  const two = [at('a', 9, right, 'undecided'), at('b', 8, wrong, 'doubted')];
  assert.deepEqual(report([...nodes.slice(0, 2), ...two]).faults, [
    'p00 is not served on node a: states differ, and a person must decide which one is right',
    'p00: node b asks the others whose state is wrong',
    'p00: the states differ at sequence 6: a has digest 60, b has digest 61',
  ]);
});

test('a partition that is stopped on a node is a fault that names the cause', () => {
  const stopped = [{ name: 'p00', cause: 'diverged' }];
  const { faults } = report([
    ...[supervisor('a'), supervisor('b')],
    worker('a', [partition('directory', { leads: true }), partition('p00', { leads: true })]),
    worker('b', [partition('directory')], { stopped }),
  ]);
  assert.deepEqual(faults, ['p00 is stopped on node b: diverged']);
});

test('a node whose supervisor or workers do not answer is a fault', () => {
  const { faults, nodes } = report([
    ...healthy,
    worker(
      'c',
      names.map((name) => partition(name)),
    ),
    supervisor('d'),
  ]);
  assert.deepEqual(faults, [
    'node c is not ready: waiting for supervisor',
    'directory is not served on node d',
    'p00 is not served on node d',
  ]);
  assert.equal(nodes.at(-1)?.foldVersion, null);
});

test('an upgrade goes to the version that all nodes know, and names a node that knows less', () => {
  const cluster = (a: number, b: number, inForce = 1) => {
    const all = names.map((name) => partition(name, { leads: true, foldVersion: inForce }));
    const other = names.map((name) => partition(name, { foldVersion: inForce }));
    return report([
      ...[supervisor('a'), supervisor('b', { version: '0.9.0' })],
      worker('a', all, { foldVersion: a }),
      worker('b', other, { foldVersion: b, version: '0.9.0' }),
    ]);
  };
  assert.deepEqual(upgradeOf(cluster(2, 2)), { version: 2, partitions: names });
  assert.deepEqual(upgradeOf(cluster(2, 2, 2)), { version: 2, partitions: [] });
  assert.match(cluster(2, 2).notes[0] ?? '', /all nodes know fold version 2.*tidings cluster upgrade/);
  assert.deepEqual([cluster(2, 1).notes, cluster(2, 2, 2).notes], [[], []]);
  const refused = (given: ReturnType<typeof report>) => (upgradeOf(given) as { refused: string }).refused;
  assert.match(refused(cluster(2, 1)), /Node b knows fold version 1, but another node knows 2.*b has 0\.9\.0/);
  assert.match(refused(report([...healthy, supervisor('c')])), /Which rules node c knows is not known/);
  assert.match(refused(report([])), /No node is running/);
});

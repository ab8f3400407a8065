/**
 * Folds random histories delivery by delivery, and compares each preview that was made with a ledger with a preview that
 * was computed in full. The histories contain everything that one change can do to another one: reverts, backports,
 * shared issues, lead phrases, commands, renamed labels, forks, late closings, tags and changed settings.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../src/foundation/ids.ts';
import { explain } from '../../../src/notes/draft/explain.ts';
import { gather } from '../../../src/notes/draft/gather.ts';
import { Ledger, type RangeSummary } from '../../../src/notes/draft/ledger.ts';
import { suggestVersion } from '../../../src/notes/draft/suggested-version.ts';
import { defaultSettings } from '../../../src/protocol/notes.ts';
import type { RangeBounds } from '../../../src/protocol/stored.ts';
import type { RangePreviewTask } from '../../../src/protocol/tasks.ts';
import { RepositoryView } from '../../../src/store/repository-view.ts';
import { writeSettings } from '../../../src/store/tables/settings.ts';
import { LogReader, WriteLog } from '../../../src/store/write-log.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { Ledgers } from '../../../workers/render/ledgers.ts';
import { previewRange } from '../../../workers/render/range-preview.ts';
import { recount } from '../../../workers/render/recount.ts';
import { countUnreleased } from '../../../workers/render/unreleased-count.ts';
import { type GraphPull, HostGraph, recordsOf } from '../../helpers/host-graph.ts';
import { openTestPartition, toMessages } from '../../helpers/partition.ts';
import { commandRecord } from '../../helpers/partition-records.ts';
import { pick, type Random, seeded } from '../../helpers/random.ts';

type Step = (graph: HostGraph, random: Random) => void;

const repoIdOf = (graph: HostGraph): string => recordsOf(graph.deliveries, 0)[0]?.repository.id ?? assert.fail();
const unreleased: RangeBounds = { type: 'UNRELEASED' };
const labels = ['bug', 'enhancement', 'breaking', 'no-release-note', 'priority: high', 'dependencies', 'semver: minor'];
const labelList = (random: Random) => labels.filter(() => random(6) === 0).map((name) => ({ name }));
const mergedOf = (graph: HostGraph) => graph.pulls.filter(({ sha }) => sha !== undefined);

/** Chooses the words of a pull request. Some of them name other changes. */
function wordsFor(graph: HostGraph, random: Random, rare: boolean): object {
  const others = mergedOf(graph);
  const other = others[random(Math.max(1, others.length))];
  const titleOf = ({ number }: GraphPull) => (graph.words.get(number) as { title?: string })?.title ?? 'Change';
  const titles = [
    () => `feat: add part ${random(1000)}`,
    () => `fix(core): mend part ${random(1000)}`,
    () => `Bump left-pad from 1.${random(9)}.0 to 2.0.0`,
    () => `Change ${random(1000)}`,
    ...(rare
      ? [
          () => `In-place updates: Add hook ${random(100)}`,
          () => (other ? `Revert "${titleOf(other)}"` : 'Revert nothing'),
          () => 'feat: add the same thing',
          () => `Reapply "feat: add part ${random(1000)}"`,
        ]
      : []),
  ];
  const bodies = [
    () => null,
    () => 'It can be reverted with the flag.',
    () => `Fixes #${1000 + random(rare ? 4 : 400)}`,
    () => '```release-note\n[FEATURE] x: Add y\n[BUGFIX] z: Mend w\n```',
    ...(rare && other ? [() => `This reverts commit ${other.sha}.`, () => `Reverts #${other.number}`] : []),
    ...(rare && other ? [() => `Backport of #${other.number}`] : []),
  ];
  return { title: pick(random, titles)(), body: pick(random, bodies)(), labels: labelList(random) };
}

function open(graph: HostGraph, random: Random, base: string, rare: boolean): GraphPull {
  const from = pick(random, graph.between([], graph.head(base)).slice(-3));
  graph.words.set(graph.pulls.length + 1, wordsFor(graph, random, rare));
  return graph.open(base, graph.line(from, 1 + random(2)));
}

function merge(graph: HostGraph, random: Random, base: string, rare: boolean): void {
  if (!graph.branches.has(base)) return;
  const pull = open(graph, random, base, rare);
  const sha = graph.mergeCommit(pull, graph.head(base));
  const acts = [() => graph.push(base, sha), () => graph.close(pull, sha)];
  for (const act of random(2) === 0 ? acts : acts.reverse()) act();
}

/** What happens again and again. */
const usual: readonly Step[] = [
  (graph, random) => merge(graph, random, 'main', false),
  (graph, random) => merge(graph, random, 'main', false),
  (graph, random) => open(graph, random, 'main', false),
  (graph, random) => graph.push('main', graph.line(graph.head(), 1 + random(2))),
  (graph, random) => {
    const number = 1000 + random(400);
    const state = pick(random, ['open', 'closed']);
    graph.send('issues', (time) => ({
      action: state === 'open' ? 'opened' : 'closed',
      issue: { number, title: `Issue ${number}`, state, updated_at: time, closed_at: time, labels: [] },
    }));
  },
  (graph, random) => {
    const [pull] = graph.pulls.filter(({ sha }) => sha === undefined);
    if (!pull) return;
    graph.words.set(pull.number, wordsFor(graph, random, false));
    graph.edit(pull, 'edited');
  },
  (graph, random) => comment(graph, random, 'Looks good.'),
  (graph, random) => graph.push(`topic-x-${random(3)}`, graph.line(graph.head(), 1)),
];

/** What can change a computed range. */
const rare: readonly Step[] = [
  (graph, random) => merge(graph, random, 'main', true),
  (graph, random) => merge(graph, random, 'main', true),
  (graph, random) => merge(graph, random, 'release', true),
  (graph) => graph.push('release', graph.branches.get('release') ?? graph.head()),
  (graph, random) => {
    const merged = mergedOf(graph);
    if (merged.length === 0) return;
    const pull = pick(random, merged);
    graph.words.set(pull.number, { ...graph.words.get(pull.number), labels: labelList(random) });
    graph.edit(pull, 'labeled');
  },
  (graph, random) => {
    const target = pick(random, graph.between([], graph.head()).slice(-4));
    graph.push('main', graph.commit([graph.head()], `Undo\n\nThis reverts commit ${target}.`));
  },
  (graph, random) => {
    const merged = mergedOf(graph);
    if (merged.length === 0) return;
    graph.push('main', graph.commit([graph.head()], `Change (#${pick(random, merged).number})`));
  },
  (graph, random) => graph.push('main', graph.commit([graph.head()], `Take over (#${400 + random(300)})`)),
  (graph, random) =>
    comment(graph, random, pick(random, ['/note none', '/kind fix', '/note Better words', '/area ui'])),
  (graph) => graph.tag(`v1.${graph.tags.size}.0`, graph.head()),
  (graph) => graph.tag(`v9.0.0-rc.${graph.tags.size}`, graph.line(graph.head(), 1)),
  (graph) =>
    graph.branches.has('release') && graph.push('main', graph.commit([graph.head(), graph.head('release')], 'Merge')),
  (graph) => graph.push('copy', graph.head()),
  (graph) => {
    const [, below] = graph.between([], graph.head()).slice(-2);
    if (below) graph.push('main', graph.line(pickParent(graph), 1));
  },
  (graph, random) =>
    graph.send('label', () => ({
      action: 'edited',
      label: { id: random(5), name: pick(random, labels) },
      changes: { name: { from: pick(random, labels) } },
    })),
];

function pickParent(graph: HostGraph): string {
  return graph.between([], graph.head()).at(-2) as string;
}

function comment(graph: HostGraph, random: Random, body: string): void {
  const pull = graph.pulls[random(Math.max(1, graph.pulls.length))];
  if (!pull) return;
  graph.send('issue_comment', (time) => ({
    action: 'created',
    issue: { number: pull.number, pull_request: {} },
    comment: { id: random(1e6), body, user: { login: 'acme' }, author_association: 'OWNER', updated_at: time },
  }));
}

for (const [kind, share] of [
  ['github', 4],
  ['github', 12],
  ['gitea', 8],
] as const) {
  test(`a ledger gives what a full computation gives (${kind}, every ${share}th step is rare)`, async (t) => {
    const partition = openTestPartition(t);
    const log = new WriteLog(256 * 1024);
    log.follow(partition);
    const reader = new LogReader(log.memory);
    let [seq, kept, grown, full] = [0, 0, 0, 0];
    for (let seed = 1; seed <= 5; seed++) {
      const random = seeded(seed * 100 + share);
      const graph = new HostGraph(seed, kind, random);
      const repoId = repoIdOf(graph);
      const { watch } = log.watch(repoId);
      assert.ok(watch > 0);
      const ledgers = new Map<string, { ledger: Ledger; place: ReturnType<LogReader['committed']> }>();
      let folded = 0;
      for (let step = 0; step < 45; step++) {
        pick(random, random(share) === 0 ? rare : usual)(graph, random);
        const records = recordsOf(graph.deliveries, folded);
        folded = graph.deliveries.length;
        const size = 1 + random(3);
        for (let from = 0; from < records.length; from += size) {
          seq += 1;
          log.begin(seq);
          await foldBatch(partition, toMessages([records.slice(from, from + size)], seq));
          log.end();
          if (random(60) === 0) {
            const bump = pick(random, ['auto', 'minor'] as const);
            const settings = { ...defaultSettings, nextVersion: { ...defaultSettings.nextVersion, bump } };
            await partition.write(() => writeSettings(partition, repoId, settings));
          }
          const view = RepositoryView.of(partition, repoId) ?? assert.fail();
          const [tag, last] = [...graph.tags.keys()].slice(-2) as [string, string?];
          const between: RangeBounds = { type: 'TAG_BASED', fromTag: tag, toTag: last ?? tag };
          for (const bounds of random(4) === 0 ? [unreleased, between, days] : [unreleased]) {
            const name = JSON.stringify(bounds);
            const place = reader.committed();
            const known = ledgers.get(name);
            const rows = known && reader.rowsAfter(known.place, repoId);
            const found = rows && known.ledger.summary(view, rows);
            const ledger = found ? known.ledger : new Ledger(view, bounds);
            const summary = found ?? ledger.summary(view, []) ?? assert.fail();
            ledgers.set(name, { ledger, place });
            if (!found) full += 1;
            else if (summary.changes.length > 3) grown += 1;
            else kept += 1;
            const about = `${kind} ${seed}, step ${step}, ${name}`;
            assert.deepEqual(shown(summary), reference(view, bounds), about);
          }
        }
      }
    }
    t.diagnostic(`${kept} kept, ${grown} grown, ${full} in full`);
    assert.ok(kept > full / 4 && grown > full / 8, `${kept} kept, ${grown} grown, ${full} in full`);
  });
}

test('a task uses the ledger of an earlier one, and counts and previews share it', async (t) => {
  const { partition, graph, fold, repoId, log } = await started(t);
  for (let i = 0; i < 12; i++) merge(graph, seeded(i), 'main', false);
  await fold();
  const ledgers = new Ledgers({ min: 1 });
  const counted = () =>
    countUnreleased(
      partition,
      { task: 'unreleasedCount', repoId },
      reads(),
      ledgers.begin(log.watch(repoId))(partition),
    );
  let read = 0;
  const reads = () => () => {
    read += 1;
  };
  const first = counted();
  const cost = read;
  read = 0;
  assert.deepEqual(counted(), first);
  assert.ok(read < 3, `${read} reads of ${cost}`);
  merge(graph, seeded(99), 'main', false);
  await fold();
  read = 0;
  const task = { task: 'rangePreview', repoId, bounds: unreleased, limit: 5, offset: 9, included: true } as const;
  const kept = previewRange(partition, task, reads(), ledgers.begin(log.watch(repoId))(partition));
  assert.ok(read < cost / 2, `${read} reads of ${cost}`);
  assert.deepEqual(
    kept,
    previewRange(partition, task, () => {}),
  );
});

test('a recount counts a range by its ledger, and an unused ledger is dropped', async (t) => {
  const { partition, graph, fold, repoId, log } = await started(t);
  for (let i = 0; i < 40; i++) merge(graph, seeded(i), 'main', false);
  await fold();
  const rangeId = newId('range', 0);
  const counts = { prCount: 0, issueCount: 0, commitCount: 0, resolution: 'window' } as const;
  const openEnds = { fromTag: 'v0', branch: 'main', head: null, begunAt: Number.MAX_SAFE_INTEGER };
  const command = { name: 'createRange', rangeId, repoId, bounds: unreleased, openEnds, ...counts } as const;
  await foldBatch(partition, toMessages([[commandRecord(command)]], 10_000));
  let now = 0;
  const ledgers = new Ledgers({ min: 1, now: () => now });
  const counted = (): number => {
    let reads = 0;
    const count = () => {
      reads += 1;
    };
    const writes = ledgers.begin(log.watch(repoId))(partition);
    const found = recount(partition, { task: 'recount', repoId }, count, writes);
    assert.deepEqual(found, recount(partition, { task: 'recount', repoId }));
    assert.equal(found.length, 1);
    return reads;
  };
  const full = counted();
  previewRange(partition, taskOf(repoId), () => {}, ledgers.begin(log.watch(repoId))(partition));
  assert.ok(counted() < full / 2);
  const pull = graph.open('main', graph.line(graph.head(), 1));
  const sha = graph.commit([graph.head()], `Change (#${pull.number})`);
  graph.push('main', sha);
  graph.close(pull, sha);
  await fold();
  assert.ok(counted() < full / 2);
  now = 16 * 60_000;
  assert.ok(counted() > full / 2);
});

test('a thread without tasks drops a ledger that was not used for 15 minutes', async (t) => {
  const { partition, graph, fold, repoId, log } = await started(t);
  for (let i = 0; i < 6; i++) merge(graph, seeded(i), 'main', false);
  await fold();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const ledgers = new Ledgers({ min: 1, now: () => now });
  const pass = (minutes: number): void => {
    now += minutes * 60_000;
    t.mock.timers.tick(minutes * 60_000);
  };
  const use = (bounds: RangeBounds): void => {
    previewRange(partition, { ...taskOf(repoId), bounds }, () => {}, ledgers.begin(log.watch(repoId))(partition));
  };
  use(unreleased);
  assert.equal(ledgers.size, 1);
  pass(10);
  use(days);
  assert.equal(ledgers.size, 2);
  pass(6);
  assert.equal(ledgers.size, 1);
  pass(4);
  use(days);
  pass(14);
  assert.equal(ledgers.size, 1);
  pass(1);
  assert.equal(ledgers.size, 0);
});

test('rows of a batch under way, an overflow and another owner end a ledger', async (t) => {
  const { partition, graph, fold, repoId, log } = await started(t);
  const ledgers = new Ledgers({ min: 1 });
  const pulls = (writes = log.watch(repoId)) =>
    countUnreleased(partition, { task: 'unreleasedCount', repoId }, () => {}, ledgers.begin(writes)(partition))
      .unreleased.pulls;
  const merged = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) merge(graph, seeded(i), 'main', false);
    await fold();
  };
  await merged(3);
  assert.equal(pulls(), 3);
  // Rows that are not recorded, because another owner writes them.
  const other = new WriteLog();
  await merged(1);
  assert.equal(pulls({ ...log.watch(repoId), memory: other.memory, log: -1 }), 4);
  // A repository that is watched while a batch is folded is complete from the next batch on.
  const late = new WriteLog();
  late.begin(1_000_000);
  const begun = late.watch(repoId);
  assert.equal(begun.since, 1_000_000);
  late.end();
  assert.equal(pulls(begun), 4);
  await merged(1);
  assert.equal(pulls(begun), 5);
  // More rows than the log has room for.
  await merged(60);
  assert.equal(pulls(), 65);
});

test('a later change joins a restored change that closes the same issue', async (t) => {
  const { partition, graph, fold, repoId, log } = await started(t);
  const merged = (title: string, body: string): void => {
    graph.words.set(graph.pulls.length + 1, { title, body });
    const pull = graph.open('main', graph.line(graph.head(), 1));
    const sha = graph.commit([graph.head()], `Change (#${pull.number})`);
    graph.push('main', sha);
    graph.close(pull, sha);
  };
  const times = (time: string) => ({ updated_at: time, closed_at: time });
  graph.send('issues', (time) => ({
    action: 'closed',
    issue: { number: 1007, title: 'Crash', state: 'closed', ...times(time), labels: [] },
  }));
  merged('fix: Mend crash', 'Fixes #1007');
  merged('Revert "fix: Mend crash"', 'Reverts #1');
  graph.tag('v1.0.0', graph.head());
  merged('Reland "fix: Mend crash"', 'Reverts #2');
  await fold();
  const view = () => RepositoryView.of(partition, repoId) ?? assert.fail();
  const ledger = new Ledger(view(), unreleased);
  const reader = new LogReader(log.memory);
  const place = reader.committed();
  merged('fix: Mend crash', 'Fixes #1007');
  await fold();
  const summary = ledger.summary(view(), reader.rowsAfter(place, repoId) ?? assert.fail());
  const full = new Ledger(view(), unreleased).summary(view()) ?? assert.fail();
  assert.deepEqual(shown(summary ?? full), reference(view(), unreleased));
  assert.equal(full.diagnostics.changes, 1);
});

async function started(t: Parameters<typeof openTestPartition>[0]) {
  const partition = openTestPartition(t);
  const log = new WriteLog(8 * 1024);
  log.follow(partition);
  const graph = new HostGraph(7, 'github', seeded(7));
  const repoId = repoIdOf(graph);
  log.watch(repoId);
  let [folded, seq] = [0, 0];
  const fold = async (): Promise<void> => {
    for (const record of recordsOf(graph.deliveries, folded)) {
      seq += 1;
      log.begin(seq);
      await foldBatch(partition, toMessages([[record]], seq));
      log.end();
    }
    folded = graph.deliveries.length;
  };
  await fold();
  return { partition, log, graph, repoId, fold };
}

function taskOf(repoId: string): RangePreviewTask {
  return { task: 'rangePreview', repoId, bounds: unreleased, limit: 5, offset: 0 };
}

const days: RangeBounds = { type: 'DATE_BASED', fromDate: '2026-01-05', toDate: '2026-01-06' };

/** What a preview shows, computed without a ledger. */
function reference(view: RepositoryView, bounds: RangeBounds): object {
  const notes = gather(view, bounds);
  const { pulls, issues, commitsWithoutPull, resolution, assumed, ends } = notes.selection;
  return {
    ...{ prCount: pulls.length, issueCount: issues.length, commitCount: commitsWithoutPull.length },
    ...{ resolution, assumed, ends },
    ...explain(view, bounds),
    suggestedVersion: suggestVersion(notes),
  };
}

function shown({ selection, changes, ...rest }: RangeSummary): object {
  return { ...rest, ...selection, changes: changes.flat() };
}

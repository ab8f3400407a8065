/**
 * Tests the generated traffic: it is the same in every run, has the wanted size, and the fold accepts it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MixOptions, mixedTraffic, rangePulls, rangeTags, repositoryHistory } from '../../bench/fill/traffic.ts';
import type { EventRecord } from '../../src/protocol/journal.ts';
import { packBatch } from '../helpers/journal-message.ts';

const endsAt = Date.UTC(2026, 5, 1);
const mix: MixOptions = { origin: 'https://git.example', partitions: 4, endsAt, records: 3000, repositories: 40 };
const recordsOf = (options: MixOptions): EventRecord[] => [...mixedTraffic(options)].map(({ record }) => record);

test('mixed traffic has the wanted number of records, and the same bytes every time', () => {
  const first = packBatch(recordsOf(mix));
  assert.equal(recordsOf(mix).length, mix.records);
  assert.deepEqual(packBatch(recordsOf(mix)), first);
});

test('mixed traffic has every kind of event, in all partitions, and no delivery twice', () => {
  const placed = [...mixedTraffic(mix)];
  const kinds = new Set(placed.map(({ record }) => record.body.event));
  assert.deepEqual([...kinds].sort(), ['comment', 'issues', 'pull_request', 'push', 'tag']);
  assert.deepEqual([...new Set(placed.map(({ partition }) => partition))].sort(), ['p00', 'p01', 'p02', 'p03']);
  const deliveries = new Set(placed.map(({ record }) => `${record.delivery} ${record.part}`));
  assert.equal(deliveries.size, mix.records);
  assert.ok(new Set(placed.map(({ record }) => record.repository.id)).size > mix.repositories / 2);
});

test('records are in the order of their times, and the last is not after the end', () => {
  const times = recordsOf(mix).map(({ at }) => at);
  assert.deepEqual(
    times,
    [...times].sort((a, b) => a - b),
  );
  assert.ok((times.at(-1) as number) <= endsAt && (times.at(-1) as number) > endsAt - 10_000);
});

test('a history has one merged pull request per change, and two tags around the newest changes', () => {
  const repository = { hostId: 77, fullName: 'acme/rocket' };
  const history = [...repositoryHistory({ ...mix, repository, pulls: 1000 })].map(({ record }) => record.body);
  const pulls = history.flatMap((body) => (body.event === 'pull_request' ? [body.pull] : []));
  assert.equal(pulls.length, 1000);
  assert.ok(pulls.every(({ state }) => state === 'merged'));
  const commits = history.flatMap((body) => (body.event === 'push' ? body.push.commits : []));
  assert.deepEqual(
    commits.map(({ sha }) => sha),
    pulls.map(({ mergeSha }) => mergeSha),
  );
  const tags = history.flatMap((body) => (body.event === 'tag' ? [body.tag] : []));
  assert.deepEqual(
    tags.map(({ name, sha }) => [name, sha]),
    [
      [rangeTags.fromTag, commits[1000 - rangePulls - 1]?.sha],
      [rangeTags.toTag, commits[999]?.sha],
    ],
  );
});

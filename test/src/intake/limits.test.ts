/**
 * Tests payloads with texts of any length. If a payload passes the checks of the intake, its records are small enough
 * for the journal, and the fold accepts them. A text that is too long for a key or an address is refused with a message
 * that names its field. Captured texts are cut.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ErrorDetails, ServiceError } from '../../../src/foundation/errors.ts';
import { ulid } from '../../../src/foundation/ids.ts';
import { toEvents } from '../../../src/intake/events.ts';
import { repositoriesPerPart, toInstallation } from '../../../src/intake/installations.ts';
import { parseJson } from '../../../src/intake/json.ts';
import { maxLengths } from '../../../src/intake/text.ts';
import { packRecord } from '../../../src/journal/codec.ts';
import { maxRecordBytes } from '../../../src/journal/lane.ts';
import type { EventBody } from '../../../src/protocol/events.ts';
import type { JournalRecord } from '../../../src/protocol/journal.ts';
import { listDeadLetters } from '../../../src/store/tables/dead-letters.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { openTestPartition } from '../../helpers/partition.ts';
import { eventRecord } from '../../helpers/partition-records.ts';
import {
  issuePayload,
  pullPayload,
  pushPayload,
  repositoryPayload,
  shaOf,
  tagPayload,
} from '../../helpers/payloads.ts';

const origin = 'https://scm.example';
const now = Date.UTC(2026, 5, 1);

function bodies(event: string, payload: object): EventBody[] {
  return toEvents(event, payload, origin, now)?.bodies ?? [];
}

function faults(event: string, payload: object): ErrorDetails {
  try {
    bodies(event, payload);
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.kind === 'invalid', String(error));
    return error.details ?? {};
  }
  return {};
}

/** Texts of any length, some far longer than hosts accept. Their letters take one to four bytes in UTF-8. */
const text = fc
  .tuple(
    fc.constantFrom('a', 'é', '漢', '🚀', '\ud800', '\0', ' \n', 'a@b.cc ', '://a:b@', '"', 'é漢 '),
    fc.constantFrom(0, 1, 3, 64, 255, 256, 400, 512, 1024, 70_000, 300_000),
  )
  .map(([unit, length]) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length));
const short = fc.tuple(text, fc.constantFrom(100, 255, 512)).map(([long, max]) => long.slice(0, max));
const sha = fc.constantFrom(shaOf(1), 'f'.repeat(64), '0'.repeat(40), 'a');
const id = fc.constantFrom(1, Number.MAX_SAFE_INTEGER, '18446744073709551615');
const user = fc.record({ login: short.map((long) => long.slice(0, 255)), id }, { requiredKeys: ['login'] });
const labels = fc
  .tuple(short, fc.constantFrom(0, 3, 1000))
  .map(([name, count]) => Array.from({ length: count }, (_, i) => ({ name: `${i}${name}` })));
const item = { title: text.map((long) => long || 'x'), body: text, user, labels, html_url: text };
const comment = fc.record({ id, body: text, user }, { requiredKeys: ['id'] });
const commits = fc.tuple(text, fc.constantFrom(1, 2, 600), fc.boolean()).map(([message, count, people]) =>
  Array.from({ length: count }, (_, i) => ({
    id: shaOf(i),
    message: (people ? coAuthors() : '') + message.slice(0, Math.floor(4_000_000 / count)),
    author: { username: 'u'.repeat(255) },
  })),
);

function coAuthors(): string {
  const line = (_: unknown, i: number) => `Co-authored-by: x <${i}${'h'.repeat(95)}@users.noreply.github.com>\n`;
  return Array.from({ length: 32 }, line).join('');
}

const payloads: fc.Arbitrary<[string, object]> = fc.oneof(
  fc
    .record({ ...item, merge_commit_sha: sha, base: fc.record({ ref: short }), head: fc.record({ ref: short }) })
    .map((fields): [string, object] => ['pull_request', pullPayload(1, fields)]),
  fc.record(item).map((fields): [string, object] => ['issues', issuePayload(1, fields)]),
  fc
    .record({ ref: short, before: sha, after: sha, commits })
    .map(({ ref, ...fields }): [string, object] => [
      'push',
      { ...pushPayload([1], shaOf(9)), ...fields, ref: `refs/heads/x${ref}`.slice(0, 512) },
    ]),
  fc
    .record({ ref: short, before: sha, after: sha })
    .map(({ ref, ...fields }): [string, object] => [
      'push',
      { ...tagPayload('v', 1), ...fields, ref: `refs/tags/x${ref}`.slice(0, 512) },
    ]),
  fc
    .record({ ref: short.map((long) => long || 'x'), sha })
    .map((fields): [string, object] => ['create', { ...fields, ref_type: 'tag', repository: repositoryPayload() }]),
  comment.map((said): [string, object] => ['issue_comment', { ...issuePayload(1), action: 'created', comment: said }]),
  comment.map((review): [string, object] => [
    'pull_request_review',
    { ...pullPayload(1), action: 'submitted', review },
  ]),
  fc
    .record({ from: text.map((long) => long || 'x'), to: text.map((long) => long || 'x') })
    .map(({ from, to }): [string, object] => [
      'label',
      { action: 'edited', label: { name: to }, changes: { name: { from } }, repository: repositoryPayload() },
    ]),
);

test('any payload that passes fits a record and folds', async (t) => {
  const partition = openTestPartition(t);
  let seq = 0;
  await fc.assert(
    fc.asyncProperty(payloads, async ([event, payload]) => {
      const minimised = toEvents(event, payload, origin, now);
      assert.ok(minimised, event);
      const records: JournalRecord[] = minimised.bodies.map((body, part) =>
        eventRecord(body, { id: ulid(), repository: minimised.repository, part, delivery: `d${seq}` }),
      );
      for (const record of records) {
        const { length } = packRecord(record);
        assert.ok(length < maxRecordBytes, `${event} of ${length} bytes`);
      }
      seq += 1;
      await foldBatch(partition, [{ seq, records }]);
      assert.deepEqual(
        listDeadLetters(partition).map(({ error }) => error),
        [],
      );
    }),
    { numRuns: 150 },
  );
});

test('a payload with the longest texts still fits', () => {
  const letter = '漢';
  const many = Array.from({ length: 1000 }, () => ({ name: letter.repeat(600) }));
  const fields = { title: letter.repeat(9000), body: letter.repeat(400_000), labels: many };
  for (const [event, payload] of [
    ['pull_request', pullPayload(1, fields)],
    ['issues', issuePayload(1, fields)],
  ] as const) {
    const [body] = bodies(event, payload);
    assert.ok(packRecord(eventRecord(body as EventBody)).length < maxRecordBytes);
    const reported = body?.event === 'pull_request' ? body.pull : body?.event === 'issues' ? body.issue : undefined;
    assert.deepEqual(
      [reported?.title.length, reported?.body.length, reported?.labels?.[0]?.length],
      [maxLengths.title, maxLengths.body, maxLengths.label],
    );
  }
});

test('a text that is too long for a key is refused by name', () => {
  const long = 'x'.repeat(513);
  const cases: [string, object, string][] = [
    ['pull_request', pullPayload(1, { base: { ref: long } }), 'pull_request.base'],
    ['pull_request', pullPayload(1, { merge_commit_sha: 'a'.repeat(65) }), 'pull_request.merge_commit_sha'],
    ['pull_request', pullPayload(1, { merge_commit_sha: 'none' }), 'pull_request.merge_commit_sha'],
    ['pull_request', pullPayload(1, { user: { login: 'x'.repeat(256) } }), 'pull_request.user'],
    ['pull_request', pullPayload(1, {}, { full_name: `acme/${'x'.repeat(300)}` }), 'repository.full_name'],
    ['pull_request', pullPayload(1, {}, { default_branch: long }), 'repository.default_branch'],
    ['pull_request', pullPayload(1, {}, {}, long), 'action'],
    ['push', { ...pushPayload([1], shaOf(9)), ref: `refs/heads/${long}` }, 'ref'],
    ['push', { ...pushPayload([1], shaOf(9)), before: long }, 'before'],
    ['push', { ...pushPayload([1], shaOf(9)), commits: [{ id: long }] }, 'commits'],
    ['create', { ref: long, ref_type: 'tag', repository: repositoryPayload() }, 'ref'],
    ['issue_comment', { ...issuePayload(1), action: 'created', comment: { id: long } }, 'comment.id'],
  ];
  for (const [event, payload, field] of cases) {
    assert.ok(
      Object.keys(faults(event, payload)).some((name) => name.startsWith(field)),
      `${field}: ${JSON.stringify(faults(event, payload))}`,
    );
  }
});

test('names with control characters or lone surrogates are refused', () => {
  for (const full_name of ['acme/a\0b', 'acme/a\nb', 'acme/\ud800', 'ac\u007fme/b']) {
    assert.ok(
      'repository.full_name' in faults('issues', issuePayload(1, {}, { full_name })),
      JSON.stringify(full_name),
    );
  }
});

test('an address that is not a web address is replaced by the derived one', () => {
  const derived = 'https://scm.example/acme/rocket';
  for (const html_url of [
    'javascript:alert(1)',
    'ftp://scm.example/x',
    'https://ada:secret@scm.example/x',
    'https://scm.example/x" onclick="y',
    `https://scm.example/${'x'.repeat(3000)}`,
    `https://scm.example/?t=ghp_${'a1B2'.repeat(9)}`,
    '',
    null,
  ]) {
    assert.equal(toEvents('issues', issuePayload(1, {}, { html_url }), origin, now)?.repository.url, derived);
    const [body] = bodies('pull_request', pullPayload(1, { html_url }, { html_url }));
    assert.equal(body?.event === 'pull_request' && body.pull.url, `${derived}/pull/1`);
  }
  const other = 'http://other.example:8443/a/b';
  assert.equal(toEvents('issues', issuePayload(1, {}, { html_url: other }), origin, now)?.repository.url, other);
});

test('numbers beyond 2^53 keep their digits', () => {
  const digits = '9007199254740993';
  const json = JSON.stringify({
    ...issuePayload(1),
    action: 'created',
    repository: repositoryPayload({ id: 111 }),
    comment: { id: 222, body: 'is "id": 9007199254740995, so \\" \\\\' },
  })
    .replace('"id":111', `"id": ${digits}`)
    .replace('"id":222', '"id":18446744073709551615');
  const minimised = toEvents('issue_comment', parseJson(json) as object, origin, now);
  assert.equal(minimised?.repository.hostId, digits);
  const said = minimised?.bodies[1];
  assert.ok(said?.event === 'comment');
  assert.deepEqual(
    [said.comment.id, said.comment.body],
    ['18446744073709551615', 'is "id": 9007199254740995, so \\" \\\\'],
  );
});

test('any JSON without long integers is parsed as by JSON.parse', () => {
  const value = fc.jsonValue().filter((any) => !/(?<![\d.])\d{16,}/.test(JSON.stringify(any)));
  fc.assert(
    fc.property(value, fc.string(), (inner, said) => {
      const json = JSON.stringify({ n: [1234567890123456], said: `${said}",12345678901234567890,`, inner });
      assert.deepEqual(parseJson(json), JSON.parse(json));
    }),
  );
  for (const json of ['{"a":12345678901234567890', '[12345678901234567890,]', '"a', '{"a":1234567890123456789012 3}'])
    assert.throws(() => parseJson(json), SyntaxError);
});

test('numbers out of range are refused', () => {
  for (const number of ['12345678901234567890', 0, -1, '12', 2 ** 53]) {
    assert.deepEqual(Object.keys(faults('issues', issuePayload(1, { number }))), ['issue.number'], String(number));
  }
  for (const id of [-1, 1e300, 1.5, 'x', '']) {
    assert.ok('repository.id' in faults('issues', issuePayload(1, {}, { id: id as number })), String(id));
  }
});

test('an installation with very many repositories is split into parts', () => {
  const repositories = Array.from({ length: repositoriesPerPart * 2 + 1 }, (_, id) => ({
    id,
    full_name: `acme/${id}${'r'.repeat(200)}`,
  }));
  const payload = { action: 'created', installation: { id: 8, account: { login: 'acme', id: 77 } }, repositories };
  const parts = toInstallation('installation', payload, origin) ?? [];
  assert.deepEqual(
    parts.map(({ action, added }) => [action, added.length]),
    [
      ['installed', repositoriesPerPart],
      ['selected', repositoriesPerPart],
      ['selected', 1],
    ],
  );
  for (const [part, body] of parts.entries()) {
    const record = { id: ulid(), at: now, kind: 'installation', delivery: 'd', source: '', part, body } as const;
    assert.ok(packRecord(record).length < maxRecordBytes);
  }
  assert.equal(toInstallation('installation', { ...payload, action: 'deleted' }, origin)?.length, 1);
});

test('names and owners with markup or invisible characters are refused', () => {
  const odd = [
    'a\u009bb',
    'a\u0085b',
    'a\u202eb',
    'a\u200bb',
    'a\u2028b',
    'a<b>',
    'a"b',
    'a`b',
    'a\\b',
    'a b',
    'a\nb',
    '\ud800',
  ];
  for (const name of [...odd, 'a/b', '']) {
    const owned = issuePayload(1, {}, { owner: { id: 1, login: name } });
    assert.ok('repository.owner' in faults('issues', owned), `owner ${JSON.stringify(name)}`);
  }
  for (const name of odd) {
    const named = issuePayload(1, {}, { full_name: `acme/${name}` });
    assert.ok('repository.full_name' in faults('issues', named), `name ${JSON.stringify(name)}`);
    const installation = { id: 5, account: { id: 1, login: name } };
    const reported = { action: 'created', installation, repositories: [] };
    assert.throws(
      () => toInstallation('installation', reported, origin),
      /installation\.account/,
      JSON.stringify(name),
    );
  }
  for (const name of ['acme', 'Acme-2', 'a_b.c', 'acme_short', 'größe'])
    assert.ok(toEvents('issues', issuePayload(1, {}, { owner: { id: 1, login: name } }), origin, now), name);
});

/**
 * Tests the search for the owner in an unparsed body. The owner is found in every form of JSON that hosts send, and not
 * in other texts.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import fc from 'fast-check';
import { hintOfOwner } from '../../../src/ingress/owner.ts';
import { pullPayload } from '../../helpers/payloads.ts';

const owner = { login: 'acme', id: 77 };
const hint = (payload: unknown) => hintOfOwner(Buffer.from(JSON.stringify(payload)));

test('finds the owner of the repository', () => {
  const url = 'https://github.com/acme/rocket';
  for (const indent of [0, 2, '\t']) {
    const text = JSON.stringify(pullPayload(1), null, indent);
    assert.deepEqual(hintOfOwner(Buffer.from(text)), { id: '77', login: 'acme', url });
  }
});

test('finds accounts and organizations', () => {
  const expected = { id: '77', login: 'acme', url: undefined };
  for (const payload of [
    { installation: { id: 8, account: owner } },
    { action: 'renamed', account: owner },
    { zen: 'x', organization: owner },
    { installation: { id: 8 }, organization: owner, sender: { login: 'ada', id: 5 } },
  ]) {
    assert.deepEqual(hint(payload), expected, JSON.stringify(payload));
  }
});

test('uses the name of the repository when it has no owner', () => {
  assert.deepEqual(hint({ repository: { full_name: 'acme/rocket' } }), {
    id: undefined,
    login: 'acme',
    url: undefined,
  });
  assert.deepEqual(hint({ repository: { id: 5, owner: null, full_name: 'acme/rocket' } })?.login, 'acme');
});

test('ignores owners in deeper objects and in strings', () => {
  const decoy = '"repository":{"owner":{"login":"umbrella","id":88}}';
  const payload = {
    pull_request: { title: `,${decoy}`, head: JSON.parse(`{${decoy}}`) },
    repository: { owner },
    x: decoy,
  };
  assert.equal(hint(payload)?.login, 'acme');
  assert.equal(hint([payload]), undefined);
  assert.equal(hint(['repository', { owner }]), undefined);
});

test('the last one of a name counts, as in JSON', () => {
  const text = `{"repository":{"owner":{"login":"umbrella"}},"repository":${JSON.stringify({ owner })}}`;
  assert.equal(hintOfOwner(Buffer.from(text))?.login, JSON.parse(text).repository.owner.login);
});

test('finds nothing when no owner is named', () => {
  const texts = ['', '{', '}', '{}', '[]', '"', '"\\', 'null', '}}}}{', '{"repository":"acme"}', '{"repository":{}}'];
  const more = [
    '{"repository":{"owner":5}}',
    '{"repository":{x}}',
    '{"repository"',
    '{"repository":{"owner":{"id":null}}}',
  ];
  for (const text of [...texts, ...more, `{"organization":{"login":"${'x'.repeat(256)}"}}`]) {
    assert.equal(hintOfOwner(Buffer.from(text)), undefined, text);
  }
  const large = { repository: { owner, description: 'x'.repeat(70_000) } };
  assert.equal(hint(large), undefined, 'a part that no host sends is not parsed');
});

test('agrees with JSON.parse on any payload', () => {
  const part = fc.constantFrom('repository', 'organization', 'x');
  const value = fc.oneof(
    fc.constant<unknown>({ owner }),
    fc.constant<unknown>({ login: 'umbrella', id: 88 }),
    fc.jsonValue(),
    fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
  );
  fc.assert(
    fc.property(fc.dictionary(part, value), (payload) => {
      const { repository, organization } = payload as Record<string, { owner?: object; login?: unknown } | null>;
      const found = hint(payload)?.login;
      if (repository?.owner === owner) assert.equal(found, 'acme');
      else if (repository === undefined && organization?.login === 'umbrella') assert.equal(found, 'umbrella');
    }),
    { numRuns: 1000 },
  );
});

test('any bytes are read to their end', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,\\ra', '"repository":', '"owner":') }), (text) => {
      hintOfOwner(Buffer.from(text));
    }),
    { numRuns: 2000 },
  );
});

test('finds the owner in every published payload', () => {
  const examples = createRequire(import.meta.url)('@octokit/webhooks-examples') as {
    name: string;
    examples: unknown[];
  }[];
  let named = 0;
  for (const payload of examples.flatMap((each) => each.examples)) {
    const { repository } = payload as { repository?: { owner?: { id: number; login: string } } };
    if (!repository?.owner) continue;
    const found = hint(payload);
    assert.deepEqual([found?.id, found?.login], [String(repository.owner.id), repository.owner.login]);
    named += 1;
  }
  assert.ok(named > 250, String(named));
});

/**
 * Tests tokens and the exchange with which a machine joins a cluster: what works once, what is refused and with which
 * message, and that no secret is readable on the way.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { answerJoin, beginExchange, type ClusterKeys } from '../../../src/cluster/join.ts';
import { findToken, type JoinToken, makeToken, readTokenFile, tokenMs } from '../../../src/cluster/join-token.ts';
import { packMessage, unpackMessage } from '../../../src/journal/codec.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const own = { cluster: 'c1', node: 'a' };
const now = 1_700_000_000_000;
const keys: ClusterKeys = {
  identity: {
    ...{ cluster: 'c1', partitions: 4, digestKey: 'd' },
    ...{ sealingKeys: ['s'], webhookSecrets: ['w'], adminKey: 'k' },
  },
  ...{ sealingKeys: ['the sealing key'], digestKey: 'v1.the digest key' },
  ...{ webhookSecrets: ['the webhook secret'], adminKey: 'rn_live_the_admin_key' },
};

/** A node with one token. `answer` answers a request as this node does, and returns it as it crosses the network. */
function startNode(t: TestContext) {
  const dataDir = temporaryFolder(t);
  const file = makeToken(dataDir, own, now);
  const token = readTokenFile(file);
  const answer = (request: unknown, { at = now, of = own } = {}): unknown => {
    const { reply } = answerJoin(dataDir, unpackMessage(packMessage(request)), () => keys, of, at);
    return unpackMessage(packMessage(reply));
  };
  return { dataDir, file, token, answer };
}

test('a machine with a token gets the keys, once', (t) => {
  const { dataDir, file, token, answer } = startNode(t);
  const exchange = beginExchange(token, 'b');
  assert.deepEqual(exchange.open(answer(exchange.request)), keys);
  const again = beginExchange(token, 'c');
  assert.throws(() => again.open(answer(again.request)), /used already.*"tidings cluster init" on node a/);
  assert.throws(() => readTokenFile(file), /cannot be read/);
  assert.equal(findToken(dataDir, token.id).state, 'used');
  assert.equal(readFileSync(join(dataDir, 'join-tokens', `${token.id}.used`), 'utf8'), '', 'the key is gone');
});

test('only the owner can read a token', (t) => {
  const { file, dataDir } = startNode(t);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(join(dataDir, 'join-tokens')).mode & 0o777, 0o700);
});

test('neither the request nor the reply contains a secret in clear', (t) => {
  const { token, answer } = startNode(t);
  const exchange = beginExchange(token, 'b');
  const recorded = JSON.stringify([exchange.request, answer(exchange.request)]);
  for (const secret of [token.key, 'the sealing key', 'the digest key', 'the webhook secret', 'rn_live'])
    assert.ok(!recorded.includes(secret), secret);
});

test('a recorded exchange cannot be opened with the token alone', (t) => {
  const { token, answer } = startNode(t);
  const exchange = beginExchange(token, 'b');
  const reply = answer(exchange.request);
  const thief = beginExchange(token, 'b');
  assert.throws(() => thief.open(reply), /does not come from a node that knows the token/);
  assert.deepEqual(exchange.open(reply), keys);
});

test('a token that has expired, was changed or belongs to another cluster is refused and not used up', (t) => {
  const { token, answer } = startNode(t);
  const refused = (changed: Partial<JoinToken>, words: RegExp, options = {}) => {
    const exchange = beginExchange({ ...token, ...changed }, 'b');
    assert.throws(() => exchange.open(answer(exchange.request, options)), words);
  };
  refused({}, /has expired/, { at: now + tokenMs });
  refused({ expires: now + 9 * tokenMs }, /has expired/, { at: now + tokenMs });
  refused({ key: Buffer.alloc(32).toString('base64url') }, /was changed/);
  refused({ cluster: 'c2' }, /for cluster c2, but node a belongs to cluster c1/);
  refused({}, /for cluster c1, but node z belongs to cluster c9/, { of: { cluster: 'c9', node: 'z' } });
  refused({ id: token.id.replace(/./, (first) => (first === '0' ? '1' : '0')) }, /Node a does not know the token/);
  refused({ id: `../join-tokens/${token.id}` }, /does not know the token/);
  const last = beginExchange(token, 'b');
  assert.deepEqual(last.open(answer(last.request)), keys);
});

test('a request that was changed on the way, or is not a request, is refused and uses nothing up', (t) => {
  const { token, answer } = startNode(t);
  const { request } = beginExchange(token, 'b');
  const foreign = generateKeyPairSync('ed25519')
    .publicKey.export({ type: 'spki', format: 'der' })
    .toString('base64url');
  for (const changed of [{ node: 'c' }, { publicKey: foreign }, { proof: '' }, { proof: `${request.proof}A` }]) {
    assert.match(JSON.stringify(answer({ ...request, ...changed })), /"ok":false.*was changed/);
  }
  for (const hostile of [null, 7, 'x', [], {}, { ...request, token: 7 }, { ...request, node: 'x'.repeat(501) }]) {
    assert.match(JSON.stringify(answer(hostile)), /"ok":false.*not readable/);
  }
  assert.match(JSON.stringify(answer(request)), /"ok":true/);
});

test('a machine stores nothing that does not come from a node with the token', (t) => {
  const { token, answer } = startNode(t);
  const impostor = startNode(t);
  const exchange = beginExchange(token, 'b');
  const forged = beginExchange({ ...impostor.token, cluster: 'c1' }, 'b');
  const sealed = impostor.answer(forged.request);
  for (const reply of [sealed, undefined, 7, { ok: true }, { ok: true, publicKey: 'x', sealed: 'y' }, { ok: false }])
    assert.throws(() => exchange.open(reply), /does not come from a node|not readable/);
  assert.deepEqual(exchange.open(answer(exchange.request)), keys);
});

test('a refusal of a stranger shows no control characters', (t) => {
  const exchange = beginExchange(startNode(t).token, 'b');
  const message = `no\u001b[2J\u009b\u202e${'x'.repeat(1000)}`;
  assert.throws(() => exchange.open({ ok: false, message }), { message: /^no \[2J {2}x{400,500}$/ });
  assert.throws(() => exchange.open({ ok: false, message: { toString: 7 } }), /not readable/);
});

test('a file that is not a token, or was not copied completely, is reported', (t) => {
  const { file, dataDir } = startNode(t);
  const text = readFileSync(file, 'utf8');
  const write = (content: string) => writeFileSync(file, content);
  write('hello');
  assert.throws(() => readTokenFile(file), /is not a token: expected the file that "tidings cluster init" names/);
  write(text.replace(/\.v1\.(.)/, (_, letter: string) => `.v1.${letter === 'a' ? 'b' : 'a'}`));
  assert.throws(() => readTokenFile(file), /was changed\. Copy the file again/);
  assert.throws(() => readTokenFile(join(dataDir, 'missing')), /cannot be read: ENOENT/);
  write(`\n${text}\n\n`);
  assert.equal(readTokenFile(file).cluster, 'c1');
});

test('a new token leaves others that still work, and removes those that have expired', (t) => {
  const { dataDir, file } = startNode(t);
  utimesSync(file, now / 1000, now / 1000);
  makeToken(dataDir, own, now + tokenMs - 1000);
  assert.equal(readdirSync(join(dataDir, 'join-tokens')).length, 2);
  makeToken(dataDir, own, now + tokenMs + 1000);
  const left = readdirSync(join(dataDir, 'join-tokens'));
  assert.ok(!left.some((name) => file.endsWith(name)));
});

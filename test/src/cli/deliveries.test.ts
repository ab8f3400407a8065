/**
 * Tests that delivery files are read and sent. Plain and gzipped files are read completely, and error messages name the
 * file and the line of a fault. Each delivery is signed, and is sent again after a failure.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Delivery, readDeliveries, sendDeliveries } from '../../../src/cli/deliveries.ts';
import { SignatureCheck } from '../../../src/ingress/signature.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const one: Delivery = { event: 'ping', delivery: 'd1', body: { zen: 'ä' } };
const two: Delivery = { event: 'push', delivery: 'd2', body: {} };

function file(t: TestContext, name: string, content: string | Buffer): string {
  const path = join(temporaryFolder(t), name);
  writeFileSync(path, content);
  return path;
}

/**
 * Starts a receiver that replies with the given `statuses` in order. After the last of them, every reply has the status
 * 200.
 */
async function receiver(t: TestContext, statuses: number[] = []) {
  const seen: { delivery: string; signed: boolean }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const check = new SignatureCheck(String(request.headers['x-hub-signature-256']), ['the-secret']);
    const body = Buffer.concat(chunks);
    check.update(body);
    seen.push({ delivery: String(request.headers['x-scm-delivery']), signed: check.verify(body) });
    response.writeHead(statuses.shift() ?? 200, { 'Retry-After': '0.01' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(t, () => server.close());
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  return { url: `http://127.0.0.1:${address.port}`, seen };
}

test('plain and gzipped files give the same deliveries', async (t) => {
  const text = `${JSON.stringify(one)}\r\n\n  \n${JSON.stringify(two)}`;
  assert.deepEqual(await readDeliveries(file(t, 'a.jsonl', text)), [one, two]);
  assert.deepEqual(await readDeliveries(file(t, 'a.jsonl.gz', gzipSync(text))), [one, two]);
});

test('a line that is not a delivery is named', async (t) => {
  for (const line of ['{', '[]', '5', '{"event": "ping"}', '{"event": 1, "delivery": "d", "body": {}}']) {
    const path = file(t, 'bad.jsonl', `${JSON.stringify(one)}\n${line}\n`);
    await assert.rejects(readDeliveries(path), /bad\.jsonl, line 2: expected a JSON object/, line);
  }
});

test('a file that cannot be read is refused', async (t) => {
  const folder = temporaryFolder(t);
  await assert.rejects(readDeliveries(join(folder, 'missing.jsonl')), /ENOENT/);
  await assert.rejects(readDeliveries(join(folder, 'missing.jsonl.gz')), /ENOENT/);
  await assert.rejects(readDeliveries(folder), /EISDIR/);
  await assert.rejects(readDeliveries(file(t, 'plain.gz', 'not gzipped')), /incorrect header/);
  await assert.rejects(readDeliveries(file(t, 'cut.gz', gzipSync('x'.repeat(999)).subarray(0, 20))), /unexpected end/);
});

test('deliveries are signed and sent once', async (t) => {
  const { url, seen } = await receiver(t);
  const answers: number[] = [];
  await sendDeliveries([one, two], { url, secret: 'the-secret', concurrency: 1, onAnswer: (s) => answers.push(s) });
  assert.deepEqual(answers, [200, 200]);
  assert.deepEqual(seen, [
    { delivery: 'd1', signed: true },
    { delivery: 'd2', signed: true },
  ]);
});

test('a delivery that failed for a passing reason is sent again', async (t) => {
  const { url, seen } = await receiver(t, [500, 429, 202, 400]);
  const answers: number[] = [];
  await sendDeliveries([one, two], { url, secret: 'the-secret', concurrency: 1, onAnswer: (s) => answers.push(s) });
  assert.deepEqual(answers, [202, 400], 'a refusal for good is final');
  assert.deepEqual(
    seen.map(({ delivery }) => delivery),
    ['d1', 'd1', 'd1', 'd2'],
  );
});

/**
 * Makes known writes of one organization, one after another, while another organization sends fuzzed requests. Each
 * write must succeed. The writes change one draft of the organization repeatedly. Before each change, the draft must
 * still contain the text of the previous known write.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Answer } from '../service.ts';
import { isWait } from './judge.ts';
import type { Stage } from './stage.ts';
import { idsIn, type Org } from './world.ts';

const maxAttempts = 5;
const maxMade = 20;

/**
 * Whether a status is an expected 409 reply to a POST. When a request for a new key is retried, the reply is 409,
 * because the key is shown only once. The reply is also 409 when a request exceeds a maximum of the organization.
 */
function isTakenBack(status: number, once: object | undefined): boolean {
  return status === 409 && once !== undefined;
}

/** Starts the writes. `stop` ends the writes and returns the ids of all objects that they changed. */
export function knownWrites({ service, world, repoIdOf }: Stage, org: Org): { stop: () => Promise<Set<string>> } {
  const key = world.callers.find((caller) => caller.org === org && caller.kind === 'main')?.key as string;
  // The organization's webhook endpoints receive events about the organization's ranges. The stored endpoints therefore
  // change too.
  const written = new Set(world.living(org, 'ep'));
  let isWanted = true;
  const send = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more };
    const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    // A busy service can reply that the client should retry the request. The same Idempotency-Key makes the retry safe.
    for (let left = maxAttempts; ; left--) {
      const answer = await fetch(service.url + path, sent);
      if (left === 0 || !isWait(answer)) return { answer, body: (await answer.json()) as Answer['body'] };
    }
  };
  const asked = async (method: string, path: string, body?: unknown) => {
    const once = method === 'POST' ? { 'idempotency-key': randomUUID() } : undefined;
    const { answer, body: reply } = await send(method, path, body, once);
    assert.ok(
      answer.ok || isTakenBack(answer.status, once),
      `${method} ${path}: ${answer.status} ${JSON.stringify(reply)}`,
    );
    for (const id of idsIn(JSON.stringify(reply))) written.add(id);
    world.learn(reply, org);
    return { answer, body: reply };
  };
  const draftId = world.living(org, 'draft')[0] as string;
  const run = async (): Promise<void> => {
    let bodyMd: string = (await asked('GET', `/api/drafts/${draftId}`)).body.bodyMd;
    for (let round = 1; isWanted || round === 1; round++) {
      const { answer, body: draft } = await asked('GET', `/api/drafts/${draftId}`);
      assert.equal(draft.bodyMd, bodyMd, 'the draft is as its owner left it');
      const etag = answer.headers.get('etag') as string;
      bodyMd = `Known text ${round} ${randomUUID()}`;
      const changed = await send('PATCH', `/api/drafts/${draftId}`, { bodyMd }, { 'if-match': etag });
      // The service may have carried out a request although it replied that the client should retry. The retry then
      // gets 412.
      assert.ok([200, 412].includes(changed.answer.status), `the draft can be changed: ${changed.answer.status}`);
      // Limits the number of ranges. `viewOf` reads a limited number of objects per list, so it cannot compare longer
      // lists.
      if (world.living(org, 'range').length >= maxMade) continue;
      const day = `2026-03-${String(1 + (round % 28)).padStart(2, '0')}`;
      await asked('POST', '/api/ranges', { type: 'DATE_BASED', repoId: repoIdOf[org], fromDate: day, toDate: day });
      const { body } = await asked('POST', '/api/keys', { name: 'known', scopes: ['repos:read'] });
      if (body.id !== undefined) await asked('DELETE', `/api/keys/${body.id}`);
    }
    assert.equal(
      (await asked('GET', `/api/drafts/${draftId}`)).body.bodyMd,
      bodyMd,
      'the draft is as its owner left it',
    );
  };
  const done = run();
  // `stop` awaits the run and throws its error.
  done.catch(() => {});
  const stop = async (): Promise<Set<string>> => {
    isWanted = false;
    await done;
    return written;
  };
  return { stop };
}

/**
 * Writes of an organisation that are known, one after another, while another organisation's requests are fuzzed: each has
 * to succeed, and each change of the draft has to find the draft as the one before left it.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Answer } from '../service.ts';
import { isWait } from './judge.ts';
import type { Stage } from './stage.ts';
import { idsIn, type Org } from './world.ts';

const mostTries = 5;
const mostMade = 20;

/** A key that was made by a request that was put off is not shown again; caps of an organisation are planned too. */
function isTakenBack(status: number, once: object | undefined): boolean {
  return status === 409 && once !== undefined;
}

/** Begins to write; `stop` ends it and tells the ids of all that was written to. */
export function knownWrites({ service, world, repoIdOf }: Stage, org: Org): { stop: () => Promise<Set<string>> } {
  const key = world.callers.find((caller) => caller.org === org && caller.kind === 'main')?.key as string;
  // Its endpoints are told of its ranges.
  const written = new Set(world.living(org, 'ep'));
  let isWanted = true;
  const send = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more };
    const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    // A machine that is too busy puts a request off; the same Idempotency-Key makes it safe to send again.
    for (let left = mostTries; ; left--) {
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
      // Put off, it may have been carried out before it came again.
      assert.ok([200, 412].includes(changed.answer.status), `the draft can be changed: ${changed.answer.status}`);
      // What is shown of an organisation has so many places; a list that overflows is not comparable.
      if (world.living(org, 'range').length >= mostMade) continue;
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
  // A fault is thrown where the run is stopped.
  done.catch(() => {});
  const stop = async (): Promise<Set<string>> => {
    isWanted = false;
    await done;
    return written;
  };
  return { stop };
}

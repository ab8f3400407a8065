/**
 * Sends 300 events per second of one organization, or as many as the machine allows, and measures how soon the verdict
 * about a new pull request is on the host. The organization has a range, so its recounts run all the time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { deliveriesOf } from '../helpers/host/deliveries.ts';
import { pullShape, repositoryShape } from '../helpers/host/shapes.ts';
import { CheckStage } from '../helpers/note-check.ts';

const [perSecond, seconds, opened] = [300, 30, 10];
const maxMs = 10_000;
const unlimited = { TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE: '0', TIDINGS_LIMIT_WEBHOOKS_PER_HOUR: '0' };

test('a verdict is on the host within ten seconds of its event while many events arrive', async (t) => {
  const stage = await CheckStage.start(t, 'token', unlimited);
  const { host, service } = stage;
  const { history, place } = host;
  for (const { event, payload } of deliveriesOf(history, place)) await service.deliver(event, payload);
  const repoId = await stage.turnOn({ comment: false });
  const range = { type: 'PR_BASED', repoId, fromPrNumber: 1, toPrNumber: 900 };
  assert.equal((await service.api('POST', '/api/ranges', range)).status, 201);
  await stage.deliver('opened');
  await stage.shown(stage.pull.headSha as string);

  const merged = history.pulls.filter(({ mergedAt }) => mergedAt !== null);
  const repository = repositoryShape(history, place);
  let sent = 0;
  const edit = async (): Promise<void> => {
    const pull = { ...(merged[sent % merged.length] as (typeof merged)[number]) };
    sent += 1;
    Object.assign(pull, { body: `Text ${sent}`, updatedAt: Date.UTC(2026, 1, 1) + sent * 1000 });
    const shape = { ...pullShape(pull, history, place), merged: true };
    await service.deliver('pull_request', { action: 'edited', number: pull.number, pull_request: shape, repository });
  };
  const waits: Promise<number>[] = [];
  const started = performance.now();
  for (let tick = 1; tick <= seconds * 10; tick++) {
    const edits = Array.from({ length: perSecond / 10 }, edit);
    if (tick % ((seconds * 10) / opened) === 0) {
      const sha = tick.toString(16).padStart(40, 'e');
      const at = performance.now();
      await stage.open(200 + tick, sha);
      waits.push(stage.shown(sha).then(() => performance.now() - at));
    }
    await Promise.all([...edits, pause(Math.max(0, started + tick * 100 - performance.now()))]);
  }
  const rate = sent / ((performance.now() - started) / 1000);
  const all = (await Promise.all(waits)).map(Math.round);
  t.diagnostic(`${Math.round(rate)} events per second; verdicts after ${all.join(', ')} ms`);
  assert.ok(Math.max(...all) <= maxMs, `${all}`);
});

/**
 * Kills the worker during release note checks: once after each request of a check, when the host has carried out the
 * request and the worker does not get the reply, and 50 times at random. Each pull request then has one verdict and one
 * comment.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../helpers/host/faults.ts';
import { CheckStage, missing, type Writer } from '../helpers/note-check.ts';
import { seeded } from '../helpers/random.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** The requests of a check, in their order. */
const requests: Record<Writer, readonly RegExp[]> = {
  token: [
    /^GET \S*repositories\/\d+$/,
    /^GET \S*\/statuses\?/,
    /^POST \S*statuses/,
    /^GET \S*comments/,
    /^POST \S*comments/,
  ],
  app: [/^GET \S*check-runs/, /^POST \S*check-runs/, /^POST \S*comments/],
  gitea: [/^POST \S*statuses/, /^POST \S*comments/],
};

for (const writer of ['token', 'app', 'gitea'] as const) {
  test(`${writer}: the worker dies after each request, and each pull request has one verdict and one comment`, async (t) => {
    const stage = await CheckStage.start(t, writer);
    const { host, service } = stage;
    await stage.deliver('opened');
    const repoId = await stage.turnOn();
    await stage.shown(stage.pull.headSha as string);
    for (const [round, pattern] of requests[writer].entries()) {
      const number = 100 + round;
      const sha = String(round).repeat(40);
      let killed: Promise<unknown> | undefined;
      const fault: Fault = (response, answer) => {
        response.end = (() => response) as typeof response.end;
        answer();
        killed = service.killParts('worker').then(() => response.destroy());
      };
      host.fail(pattern, fault);
      await stage.open(number, sha);
      await waitUntil(`the worker is killed after ${pattern}`, () => killed !== undefined);
      await killed;
      assert.equal(await stage.shown(sha), missing, String(pattern));
      await waitUntil('the check has ended', async () => {
        const { body } = await service.api('GET', `/api/repos/${repoId}/pulls/${number}/note`);
        return body.onHost?.headSha === sha;
      });
      assert.equal(host.verdicts.shown(sha).length, 1, String(pattern));
      assert.equal(host.verdicts.own(number).length, 1, String(pattern));
    }
    const { statuses, checkRuns } = host.verdicts;
    const commits = new Set([...statuses.map(({ sha }) => sha), ...checkRuns.map((run) => run.head_sha)]);
    assert.equal(statuses.length + checkRuns.length, commits.size, 'no verdict was written twice');
    assert.equal(await service.metric('tidings_fold_dead_letters_total'), 0);
  });
}

test('the worker is killed 50 times at random, and no commit has two check runs, no pull request two comments', async (t) => {
  const stage = await CheckStage.start(t, 'app');
  const { host, service } = stage;
  await stage.deliver('opened');
  const repoId = await stage.turnOn();
  const random = seeded(7);
  const opened = new Map([[stage.pull.number, stage.pull.headSha as string]]);
  let number = 1000;
  for (let kill = 1; kill <= 50; kill++) {
    const sha = (++number).toString(16).padStart(40, 'a');
    opened.set(number, sha);
    await stage.open(number, sha);
    // A check begins five seconds after its event, or after the start of the worker.
    await pause(4500 + random(3000));
    const { worker } = await service.killParts('worker');
    await waitUntil('the worker runs again', () => ![0, worker].includes(service.pids().worker));
    await service.ready();
  }
  const { checkRuns } = host.verdicts;
  for (const [each, sha] of opened) {
    await waitUntil(`the check of #${each} has ended`, async () => {
      const { body } = await service.api('GET', `/api/repos/${repoId}/pulls/${each}/note`);
      return body.onHost?.headSha === sha && body.onHost.error === null;
    });
    assert.equal(checkRuns.filter((run) => run.head_sha === sha).length, 1, `check runs of #${each}`);
    assert.equal(host.verdicts.own(each).length, 1, `comments on #${each}`);
  }
  assert.equal(await service.metric('tidings_fold_dead_letters_total'), 0);
});

/**
 * Kills the worker during release note checks, once after each request of a check. The host has carried out the request,
 * and the worker does not get the reply. Each pull request then has one verdict and one comment.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../helpers/host/faults.ts';
import { CheckStage, missing, type Writer } from '../helpers/note-check.ts';
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

/**
 * Tests the release note check on the host: the verdict follows the events of a pull request, as a check run of an app
 * or as a commit status, and its comment is written once and updated in place.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { theRepository } from '../helpers/backfill.ts';
import { rateLimit, status } from '../helpers/host/faults.ts';
import { CheckStage, missing, number, shas } from '../helpers/note-check.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const complete = 'success: The release notes have all they need.';

// A check waits five seconds, so the tests run side by side.
describe('the release note check', { concurrency: 3 }, () => {
  for (const writer of ['token', 'app', 'gitea'] as const) {
    test(`${writer}: the verdict and the comment follow the pull request`, async (t) => {
      const stage = await CheckStage.start(t, writer);
      const { host, service } = stage;
      const { verdicts } = host;
      // A temporary failure of the host is retried. The verdict that was written before it is not written again.
      host.fail(/^POST \S*comments/, status(503));
      await stage.deliver('opened');
      const repoId = await stage.turnOn();
      assert.equal(await stage.shown(shas[0]), missing);
      const [comment] = await waitUntil('the comment', () => verdicts.own(number).length > 0 && verdicts.own(number));
      assert.match(comment?.body ?? '', /^<!-- tidings:note-check [\w-]+ -->\n[\s\S]*\n- Add skis/);
      assert.equal(await service.metric('tidings_note_checks_total\\{outcome="retried"\\}'), 1);
      const onHost = await waitUntil('the check has ended', async () => {
        const { body } = await service.api('GET', `/api/repos/${repoId}/pulls/${number}/note`);
        return body.onHost?.error === null && body.onHost;
      });
      assert.deepEqual(onHost, { headSha: shas[0], error: null });

      // The host reports the comment of the service. It commands nothing, although its author may command.
      await stage.comment(900, `${comment?.body}\n/note Mine`);
      await stage.comment(901, '/note It lands on snow.');
      await stage.deliver('synchronize', { headSha: shas[1] });
      assert.equal(await stage.shown(shas[1]), complete);
      await waitUntil('the comment is updated', () => verdicts.own(number)[0]?.body.includes('It lands on snow.'));
      const written = verdicts.statuses.length + verdicts.checkRuns.length;
      assert.deepEqual([written, verdicts.own(number).length], [2, 1]);
      assert.deepEqual(verdicts.shown(shas[0]), [missing], 'the former commit keeps its verdict');

      // Neither an event that changes no verdict nor a closed pull request is written about.
      const asked = host.seen.length;
      let ended = await stage.ended();
      await stage.deliver('edited', { body: 'Skis!' });
      await stage.anotherEnds(ended);
      ended = await stage.ended();
      await stage.deliver('edited', { title: 'feat: add poles' });
      await stage.deliver('closed', { closedAt: stage.now() });
      await stage.anotherEnds(ended);
      assert.deepEqual(
        host.seen.slice(asked).filter(({ method }) => method !== 'GET'),
        [],
      );
      assert.equal(await service.metric('tidings_note_checks_total\\{outcome="failed"\\}'), 0);
    });
  }

  test('a refused verdict is reported with its reason', async (t) => {
    const stage = await CheckStage.start(t, 'token');
    stage.host.fail(/^POST \S*statuses/, status(403, { message: 'Resource not accessible' }), { times: 99 });
    await stage.deliver('opened');
    const repoId = await stage.turnOn({ comment: false });
    const { error } = await waitUntil('the check has failed', async () => {
      const { body } = await stage.service.api('GET', `/api/repos/${repoId}/pulls/${number}/note`);
      return body.onHost?.error && body.onHost;
    });
    assert.match(error, /answered 403 to POST statuses: .*no permission.*Resource not accessible/);
    assert.equal(stage.host.asked(/^POST \S*statuses/).length, 1);
  });

  test('a rate limit of the host delays all verdicts until it ends', async (t) => {
    const stage = await CheckStage.start(t, 'token');
    let limited = 0;
    stage.host.fail(/^GET \S*statuses/, (response, answer) => {
      limited = performance.now();
      rateLimit(8)(response, answer);
    });
    await stage.deliver('opened');
    await stage.turnOn({ comment: false });
    await waitUntil('the host has limited requests', () => limited > 0);
    const sha = 'e'.repeat(40);
    await stage.open(100, sha);
    for (const each of [sha, shas[0]]) assert.equal(await stage.shown(each), missing);
    // The host counts whole seconds.
    const ms = performance.now() - limited;
    assert.ok(ms > 6500, `the first verdicts came after ${Math.round(ms)} ms`);
  });

  test('nothing is written to a repository whose owner is not confirmed', async (t) => {
    const stage = await CheckStage.start(t, 'token');
    await stage.deliver('opened');
    await theRepository(stage.service);
    stage.host.history.owner.id = 78;
    const repoId = await stage.turnOn();
    const { error } = await waitUntil('the check has failed', async () => {
      const { body } = await stage.service.api('GET', `/api/repos/${repoId}/pulls/${number}/note`);
      return body.onHost?.error && body.onHost;
    });
    assert.match(error, /does not confirm/);
    const asked = stage.host.seen.length;
    const ended = await stage.ended();
    // The delivery names the former owner.
    stage.host.history.owner.id = 77;
    await stage.open(100, 'e'.repeat(40));
    stage.host.history.owner.id = 78;
    await stage.anotherEnds(ended);
    assert.deepEqual(stage.host.seen.slice(asked), [], 'the host is not asked again within an hour');
    assert.deepEqual(stage.host.asked(/^(POST|PATCH|PUT)/), []);
  });
});

/**
 * Tests verdicts and comments on a host, with a real HTTP server that follows the rules of GitHub or Gitea. A write
 * that is interrupted at any request and then repeated leaves one verdict and one comment.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { RepositoryAccess } from '../../../src/host/access.ts';
import type { HostVerdict } from '../../../src/host/verdicts.ts';
import { TestApp } from '../../helpers/host/app.ts';
import { addPull, buildHistory } from '../../helpers/host/build.ts';
import { type Fault, status } from '../../helpers/host/faults.ts';
import { startHost, type TestHost } from '../../helpers/host/server.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

type Writer = 'github' | 'app' | 'gitea';
const writers: readonly Writer[] = ['github', 'app', 'gitea'];
const number = 47;
const sha = 'c'.repeat(40);
const failure: HostVerdict = { state: 'failure', title: 'Missing: a release note.', summary: 'Nothing yet.' };
const success: HostVerdict = { state: 'success', title: 'The release notes have all they need.', summary: 'All.' };
const mark = '<!-- tidings:note-check secret -->';
const comment = (text: string) => ({ mark, body: `${mark}\n${text}\n` });

async function open(t: TestContext, writer: Writer): Promise<{ host: TestHost; access: () => RepositoryAccess }> {
  const history = buildHistory();
  addPull(history, number);
  const app = writer === 'app' ? new TestApp(temporaryFolder(t)) : undefined;
  const kind = writer === 'gitea' ? ('gitea' as const) : ('github' as const);
  const host = await startHost(t, history, app ? { kind, app } : { kind, token: 'secret-token' });
  const installation = app && { installationId: app.installationId };
  const options = { host: host.host, logger: pino({ level: 'silent' }), writeGapMs: 0, ...installation };
  return { host, access: () => new RepositoryAccess(options, async () => history.fullName) };
}

for (const writer of writers) {
  test(`${writer}: a commit has one verdict, which follows the newest one`, async (t) => {
    const { host, access } = await open(t, writer);
    const { verdicts } = host;
    assert.equal(await access().writeVerdict(sha, failure), 'created');
    assert.deepEqual(verdicts.shown(sha), ['failure: Missing: a release note.']);
    assert.equal(await access().writeVerdict(sha, failure), 'unchanged');
    assert.equal(await access().writeVerdict(sha, success), 'updated');
    assert.deepEqual(verdicts.shown(sha), ['success: The release notes have all they need.']);
    const neutral = writer === 'app' ? 'neutral' : 'success';
    await access().writeVerdict(sha, { ...failure, state: 'neutral' });
    assert.deepEqual(verdicts.shown(sha), [`${neutral}: Missing: a release note.`]);
    assert.equal(verdicts.checkRuns.length + verdicts.statuses.length, writer === 'app' ? 1 : 3);
  });

  test(`${writer}: a pull request has one comment, which is updated in place`, async (t) => {
    const { host, access } = await open(t, writer);
    const before = host.history.issueComments.length;
    for (let i = 0; i < 120; i++) host.history.issueComments.push({ ...aRemark(i), body: `No ${mark}` });
    assert.equal((await access().writeComment(number, comment('One'))).written, 'created');
    assert.equal((await access().writeComment(number, comment('One'))).written, 'unchanged');
    assert.equal((await access().writeComment(number, comment('Two'))).written, 'updated');
    assert.equal(host.history.issueComments.length, before + 121);
    assert.deepEqual(
      host.verdicts.own(number).map(({ body }) => body),
      [`${mark}\nTwo\n`],
    );
  });

  test(`${writer}: a check that is interrupted at any request leaves one verdict and one comment`, async (t) => {
    const requests = writer === 'app' ? 5 : 4;
    for (let at = 0; at < requests; at++) {
      for (const when of ['before', 'after'] as const) {
        const { host, access } = await open(t, writer);
        host.fail(/./, lost(when), { skip: at });
        const check = async (use: RepositoryAccess) => {
          await use.writeVerdict(sha, failure);
          await use.writeComment(number, comment('One'));
        };
        await assert.rejects(check(access()), `request ${at} is lost ${when} the host has answered it`);
        await check(access());
        const { statuses, checkRuns } = host.verdicts;
        const shown = [statuses.length + checkRuns.length, host.verdicts.own(number).length];
        assert.deepEqual(shown, [1, 1], `request ${at}, ${when}: ${JSON.stringify(host.asked(/./))}`);
      }
    }
  });

  test(`${writer}: a refusal names the reason of the host`, async (t) => {
    const { host, access } = await open(t, writer);
    const message = 'Resource not accessible by integration';
    host.fail(/^POST \S*(statuses|check-runs)/, status(403, { message }));
    await assert.rejects(access().writeVerdict(sha, failure), { kind: 'unauthorized', message: new RegExp(message) });
    host.fail(/^POST \S*comments/, status(422, { message: 'Validation Failed' }));
    await assert.rejects(access().writeComment(number, comment('One')), {
      kind: 'invalid',
      message: /Validation Failed/,
    });
  });
}

test('a comment with another mark stays as it is', async (t) => {
  const { host, access } = await open(t, 'github');
  const theirs = { ...aRemark(1), body: '<!-- tidings:note-check guessed -->\nTheirs.\n' };
  host.history.issueComments.push(theirs);
  assert.equal((await access().writeComment(number, comment('One'))).written, 'created');
  assert.equal(theirs.body, '<!-- tidings:note-check guessed -->\nTheirs.\n');
});

test('a comment with a known id is updated, although an older comment has copied its mark', async (t) => {
  const { host, access } = await open(t, 'github');
  const theirs = { ...aRemark(1), body: 'Theirs.' };
  host.history.issueComments.push(theirs);
  const { id } = await access().writeComment(number, comment('One'));
  theirs.body = `${mark}\nTheirs.\n`;
  const { written, id: same } = await access().writeComment(number, { ...comment('Two'), id });
  assert.deepEqual([written, same], ['updated', id]);
  assert.equal(theirs.body, `${mark}\nTheirs.\n`);
  assert.equal(host.history.issueComments.find((remark) => remark.id === id)?.body, `${mark}\nTwo\n`);
});

test('a comment that was deleted is written again', async (t) => {
  const { host, access } = await open(t, 'github');
  const { id, author } = await access().writeComment(number, comment('One'));
  host.history.issueComments.splice(host.history.issueComments.findIndex((remark) => remark.id === id));
  const copy = { ...aRemark(1), body: `${mark}\nCopied.\n` };
  host.history.issueComments.push(copy);
  const { written } = await access().writeComment(number, { ...comment('Two'), id, author });
  assert.deepEqual([written, host.verdicts.own(number).length], ['created', 1]);
  assert.equal(copy.body, `${mark}\nCopied.\n`);
});

test('a long line is cut for a commit status', async (t) => {
  const { host, access } = await open(t, 'github');
  await access().writeVerdict(sha, { ...failure, title: 'x'.repeat(300) });
  assert.equal(host.verdicts.statuses[0]?.description.length, 140);
});

/** Closes the connection without an answer, before the host carries out the request or after it. */
function lost(when: 'before' | 'after'): Fault {
  return (response, answer) => {
    if (when === 'before') return void response.destroy();
    response.end = (() => response.destroy()) as typeof response.end;
    answer();
  };
}

function aRemark(id: number) {
  return { id, number, author: { login: 'ada', id: 5 }, createdAt: 0, updatedAt: 0 };
}

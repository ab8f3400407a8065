/**
 * Tests mail and its recipients. Even if recipients change, attempts fail or the worker is killed, no one gets the same
 * text twice. The only exception is a person's request to send the mail again.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type SmtpOptions, startSmtp } from '../helpers/receivers/smtp.ts';
import { createTagRange, deliverRocket, generateDraft, publicationEnded } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const [ann, ben, cleo] = ['ann@example.org', 'ben@example.org', 'cleo@example.org'];
const crowd = Array.from({ length: 24 }, (_, at) => `reader-${at}@example.org`);

async function openStage(t: TestContext, options: SmtpOptions = {}, more: Record<string, string> = {}) {
  const mail = await startSmtp(t, options);
  const service = await startService(t, { env: { TIDINGS_EGRESS_ALLOW: '127.0.0.1', TIDINGS_WORKERS: '1', ...more } });
  const rangeId = (await createTagRange(service, await deliverRocket(service))).body.id;
  const { id: draftId } = await generateDraft(service, rangeId);
  const { orgId } = (await service.api('GET', '/api/repos')).body.repos[0];
  const server = { host: '127.0.0.1', port: mail.port, tls: 'none', from: 'Notes of Acmé <notes@acme.example>' };
  const ended = (id: string) => publicationEnded(service, id);
  return {
    mails: mail.mails,
    service,
    draftId,
    ended,
    /** Returns the number of mails per recipient. */
    got: () => {
      const counts: Record<string, number> = {};
      for (const to of mail.mails.flatMap((each) => each.to)) counts[to] = (counts[to] ?? 0) + 1;
      return counts;
    },
    mailTo: async (recipients: readonly string[]) => {
      const put = await service.api('PUT', `/api/channels/email?orgId=${orgId}`, {
        settings: { ...server, recipients },
      });
      assert.equal(put.status, 200, JSON.stringify(put.body));
    },
    publish: async () => {
      const { status, body } = await service.api('POST', '/api/publish', { draftId, channel: 'email' });
      assert.equal(status, 201, JSON.stringify(body));
      return ended(body.id);
    },
    resend: async (id: string) => {
      const { status, body } = await service.api('POST', `/api/publications/${id}/resend`, {});
      assert.equal(status, 201, JSON.stringify(body));
      return ended(id);
    },
  };
}

test('mail without a public address is refused, and the message names the setting', async (t) => {
  const { service, draftId, mailTo, got } = await openStage(t, {}, { TIDINGS_PUBLIC_URL: '' });
  const publish = () => service.api('POST', '/api/publish', { draftId, channel: 'email' });
  assert.match((await publish()).body.message, /not connected/);
  await mailTo([ann]);
  const { status, body } = await publish();
  assert.equal(status, 409, JSON.stringify(body));
  assert.match(body.message, /TIDINGS_PUBLIC_URL is unset, .* the link to unsubscribe\. .* such as https:/);
  assert.equal((await service.api('GET', `/api/publications?draftId=${draftId}`)).body.total, 0);
  assert.deepEqual(got(), {});
  const { output } = await service.run('doctor');
  assert.equal(
    output.match(/^! TIDINGS_PUBLIC_URL is not set\. The service therefore sends no mail/gm)?.length,
    1,
    output,
  );
});

test('a new recipient gets the mail that the others already have', async (t) => {
  const { service, draftId, mails, mailTo, publish, resend, got } = await openStage(t);
  await mailTo([ann, ben]);
  const first = await publish();
  assert.deepEqual([first.status, first.counts.accepted, first.counts.alreadySent], ['completed', 2, 0]);
  await mailTo([ben.toUpperCase(), cleo]);
  const second = await publish();
  assert.notEqual(second.id, first.id);
  assert.deepEqual([second.counts.accepted, second.counts.alreadySent], [1, 1], JSON.stringify(second));
  await mailTo([ann]);
  const third = await publish();
  assert.deepEqual([third.status, third.counts.accepted, third.counts.alreadySent], ['completed', 0, 1]);
  assert.equal((await resend(first.id)).counts.alreadySent, 1, 'a resend skips everyone who has it');
  assert.equal((await service.api('DELETE', `/api/publications/${first.id}`)).status, 200);
  await mailTo([ann, ben]);
  assert.equal((await publish()).counts.alreadySent, 2, 'a deleted publication is not sent again');
  assert.deepEqual(got(), { [ann]: 1, [ben]: 1, [cleo]: 1 });
  await service.api('PATCH', `/api/drafts/${draftId}`, { bodyMd: 'Another text.\n' });
  assert.equal((await publish()).counts.accepted, 2);
  assert.deepEqual(got(), { [ann]: 2, [ben]: 2, [cleo]: 1 });
  for (const { from, headers } of mails) {
    assert.equal(from, 'notes@acme.example', 'the envelope has the address only');
    assert.equal(headers.from, 'Notes of Acmé <notes@acme.example>');
  }
});

test('a refused recipient is retried when the mail is resent', async (t) => {
  const refused = new Map([
    [ben, 550],
    [cleo, 451],
  ]);
  const { mailTo, publish, resend, got } = await openStage(t, { refuse: (address) => refused.get(address) });
  await mailTo([ann, ben, cleo]);
  const first = await publish();
  assert.deepEqual([first.counts.accepted, first.counts.rejected, first.counts.deferred], [1, 1, 1]);
  refused.clear();
  const again = await resend(first.id);
  assert.deepEqual([again.counts.accepted, again.counts.alreadySent], [2, 1]);
  assert.deepEqual(got(), { [ann]: 1, [ben]: 1, [cleo]: 1 });
});

test('a resend after a lost connection goes to those who may not have the mail', async (t) => {
  let broken = true;
  const hangUp: SmtpOptions['hangUp'] = (message) => (broken && message === 9 ? 'refused silently' : undefined);
  const { mailTo, publish, resend, got } = await openStage(t, { hangUp });
  await mailTo(crowd);
  const first = await publish();
  assert.deepEqual([first.status, first.outcomeUnknown], ['failed', true], JSON.stringify(first));
  const before = got();
  broken = false;
  await mailTo([...crowd, ann]);
  const added = await publish();
  assert.equal(added.status, 'completed', JSON.stringify(added));
  const doubtful = crowd.filter((reader) => got()[reader] === undefined);
  assert.equal(doubtful.length, 1, 'only a recipient without the mail is due');
  assert.equal((await resend(first.id)).counts.accepted, 1);
  assert.deepEqual(got(), Object.fromEntries([...crowd, ann].map((reader) => [reader, 1])));
  assert.ok(Object.keys(before).length < crowd.length);
});

test('the next attempt continues where the server disconnected', async (t) => {
  let broken = true;
  const hangUp: SmtpOptions['hangUp'] = (message) => (broken && message > 9 ? 'recipient' : undefined);
  const { service, mailTo, draftId, ended, got } = await openStage(t, { hangUp });
  await mailTo(crowd);
  const { body } = await service.api('POST', '/api/publish', { draftId, channel: 'email' });
  const first = await waitUntil('the first attempt has ended', async () => {
    const { attempts } = (await service.api('GET', `/api/publications/${body.id}`)).body;
    return attempts[0]?.endedAt && attempts[0];
  });
  assert.match(
    first.error,
    /^The mail server accepted [1-9] of 24 messages\. The other messages were not accepted or not sent\./,
  );
  broken = false;
  const after = await ended(body.id);
  assert.deepEqual([after.status, after.attempts.length], ['completed', 2], JSON.stringify(after));
  assert.equal(after.counts.accepted + after.counts.alreadySent, crowd.length);
  assert.deepEqual(got(), Object.fromEntries(crowd.map((reader) => [reader, 1])));
});

test('no one gets two mails when the worker dies', async (t) => {
  const { service, mailTo, publish, ended, draftId, got } = await openStage(t, { slowMs: 300 });
  await mailTo(crowd);
  const asked = service.api('POST', '/api/publish', { draftId, channel: 'email' });
  await waitUntil('some have received it', async () => Object.keys(got()).length >= 3);
  await service.killParts('worker');
  const first = await ended((await asked).body.id);
  assert.deepEqual([first.status, first.outcomeUnknown], ['failed', true], JSON.stringify(first));
  await mailTo([...crowd, ann]);
  const added = await publish();
  assert.deepEqual([added.counts.accepted, added.counts.alreadySent], [1, crowd.length], JSON.stringify(added));
  assert.deepEqual([...new Set(Object.values(got()))], [1]);
  assert.equal(got()[ann], 1);
});

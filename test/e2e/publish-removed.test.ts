/**
 * Tests texts that were removed from a draft. Such a text is not published anywhere, although the draft's flags still
 * contain it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { theRepository } from '../helpers/backfill.ts';
import { buildHistory } from '../helpers/host/build.ts';
import { startHost } from '../helpers/host/server.ts';
import { hostTargets, outsideTargets } from '../helpers/publish-targets.ts';
import { generateDraft, toEnd } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';

const [removed, kept] = ['Zanzibar', 'Roughground'];

test('a highlight that was removed from the text is on no channel', async (t) => {
  const history = buildHistory();
  const pull = history.pulls.find(({ number }) => number === 14);
  Object.assign(pull as object, { title: `Show ${removed} lanterns`, labels: ['type: feature', 'highlight'] });
  const host = await startHost(t, history, { token: 'secret-token' });
  const targets = [...hostTargets(host), ...(await outsideTargets(t))];
  const env = {
    TIDINGS_PARTITIONS: '1',
    TIDINGS_RENDER_THREADS: '1',
    TIDINGS_EGRESS_ALLOW: '127.0.0.0/8',
    ...host.env,
  };
  const service = await startService(t, { env });
  assert.equal((await service.run('backfill', 'acme/rocket')).code, 0);
  const repoId = await theRepository(service);
  for (const { channel, settings } of targets) {
    if (settings === undefined) continue;
    const put = await service.api('PUT', `/api/channels/${channel}?repoId=${repoId}`, { settings });
    assert.equal(put.status, 200, JSON.stringify(put.body));
  }
  const bounds = { repoId, type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v2.0.0' };
  const range = (await service.api('POST', '/api/ranges', bounds)).body;
  const { id: draftId } = await generateDraft(service, range.id, 'customer');
  const bodyMd = `## Features\n\n- ${kept} landing\n`;
  assert.equal((await service.api('PATCH', `/api/drafts/${draftId}`, { bodyMd })).status, 200);
  const { flags } = (await service.api('GET', `/api/drafts/${draftId}`)).body;
  assert.match(JSON.stringify(flags.highlights), new RegExp(removed), 'the flags contain it');

  for (const { channel, held, sent } of targets) {
    const { body } = await toEnd(service, service.api('POST', '/api/publish', { draftId, channel }));
    assert.equal(body.status, 'completed', JSON.stringify(body));
    assert.ok((await held(kept, service, body)) >= 1, `${channel} has the text`);
    const all = await sent(service);
    assert.match(all, new RegExp(kept), channel);
    assert.doesNotMatch(all, new RegExp(removed), channel);
  }
});

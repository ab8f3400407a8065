/** Tests the part of a stored connection that is copied into publications. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChannelRecord } from '../../../../src/protocol/channels.ts';
import { toConnection } from '../../../../src/store/tables/channels.ts';

test('a publication contains no settings that only readers of pages see', () => {
  const settings = { title: 'Rocket', visibility: 'public', accent: '#fff', logo: 'x', logoAlt: 'y', embedIn: ['*'] };
  const owner = { orgId: 'org_1', repoId: 'repo_1', secrets: {}, receiver: '' };
  const record: ChannelRecord = { channel: 'hosted', ...owner, settings, createdAt: 1, updatedAt: 2 };
  assert.deepEqual(toConnection(record), { ...owner, settings: { title: 'Rocket', visibility: 'public' } });
  const chat = {
    ...record,
    channel: 'workspace_chat' as const,
    settings: { channel: 'C1', apiUrl: 'https://a.example' },
  };
  assert.deepEqual(toConnection(chat).settings, chat.settings);
});

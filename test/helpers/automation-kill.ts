/**
 * Kills the worker of a service at random times while tags arrive in a repository with an automation rule. Then checks
 * that each tag was drafted once per persona, and that the receiver of the channel has one item per tag.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pullPayload, pushPayload, shaOf, tagPayload } from './payloads.ts';
import { seeded } from './random.ts';
import { startSupportMessenger } from './receivers/support-messenger.ts';
import { deliverRocket } from './rocket.ts';
import { startService, type TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

export interface AutomationKills {
  /** Number of kills. At least one tag arrives between two kills. */
  kills: number;
  seed: number;
  /** Maximum time from a tag to the next kill, in milliseconds. */
  maxMs: number;
  /** Whether the rule also makes drafts before the tag. The range of a tag is then the range that follows the branch. */
  follows: boolean;
}

const personas = ['customer', 'engineer'];
/** Numbers of the first pull request and of the newest one in the history before. */
const [first, before] = [11, 4];

/** Runs the kills and checks the result. The support messenger can be asked for its items, so no outcome is unknown. */
export async function killAutomation(t: TestContext, { kills, seed, maxMs, follows }: AutomationKills): Promise<void> {
  const messenger = await startSupportMessenger(t);
  const service = await startService(t, {
    env: {
      TIDINGS_PARTITIONS: '1',
      TIDINGS_WORKERS: '1',
      TIDINGS_RENDER_THREADS: '1',
      TIDINGS_EGRESS_ALLOW: '127.0.0.0/8',
    },
  });
  const repoId = await deliverRocket(service);
  const { apiUrl, token: accessToken, senderId, newsfeedId } = messenger;
  const settings = { apiUrl, accessToken, senderId, newsfeedIds: [newsfeedId] };
  const { orgId } = (await service.api('GET', '/api/repos')).body.repos[0];
  const connected = await service.api('PUT', `/api/channels/support_messenger?orgId=${orgId}`, { settings });
  assert.equal(connected.status, 200, JSON.stringify(connected.body));
  const publish = [{ channel: 'support_messenger', persona: 'customer' }];
  const unreleased = { personas: ['customer'], refreshMinutes: 1 };
  const rule = { onTag: { pattern: 'v*', personas, publish }, unreleased: follows ? unreleased : null };
  const put = await service.api('PUT', `/api/repos/${repoId}/automation`, rule);
  assert.equal(put.status, 200, JSON.stringify(put.body));
  const random = seeded(seed);
  for (let nth = 0; nth < kills; nth++) {
    await release(service, nth, random(2) === 0);
    await pause(random(maxMs));
    const { worker } = await service.killParts('worker');
    await waitUntil('the worker runs again', () => ![0, worker].includes(service.pids().worker));
    await service.ready();
  }
  const tags = Array.from({ length: kills }, (_, nth) => tagOf(nth));
  const ranges = await rangesOf(service, repoId, tags);
  for (const tag of tags) await checkTag(service, tag, ranges);
  await waitUntil('all items have arrived', () => messenger.items.length >= kills);
  for (const nth of tags.keys()) {
    const items = messenger.items.filter(({ body, title }) => `${title} ${body}`.includes(textOf(nth)));
    assert.equal(items.length, 1, `${tagOf(nth)} has ${items.length} items`);
  }
  assert.equal(messenger.items.length, kills);
  if (!follows) await checkCounts(service, kills);
  assert.equal(await service.metric('tidings_fold_dead_letters_total'), 0);
}

/** Checks that each draft was generated once and each publication made once, as the statistics of the service count. */
async function checkCounts(service: TestService, tags: number): Promise<void> {
  const stats = await waitUntil('everything is counted', async () => {
    const { body } = await service.api('GET', '/api/stats');
    return body.draftsGenerated >= tags * personas.length && body.publications >= tags && body;
  });
  assert.deepEqual([stats.draftsGenerated, stats.publications], [tags * personas.length, tags]);
}

/** Delivers a merged pull request, the push of its commit and its tag. The tag can be delivered before the push. */
async function release(service: TestService, nth: number, tagFirst: boolean): Promise<void> {
  const number = first + nth;
  const fields = { title: textOf(nth), labels: [{ name: 'type: feature' }] };
  await service.deliver('pull_request', pullPayload(number, fields));
  const push = pushPayload([number], shaOf(nth === 0 ? before : number - 1));
  const tag = tagPayload(tagOf(nth), number);
  for (const payload of tagFirst ? [tag, push] : [push, tag]) await service.deliver('push', payload);
}

function tagOf(nth: number): string {
  return `v2.${nth}.0`;
}

function textOf(nth: number): string {
  return `Token${nth}x lands`;
}

/** Waits until the newest runs have ended and each tag has a range. Returns the ids of the ranges by tag. */
async function rangesOf(service: TestService, repoId: string, tags: readonly string[]): Promise<Map<string, string>> {
  return waitUntil('all runs have ended', async () => {
    const { runs } = (await service.api('GET', `/api/repos/${repoId}/automation`)).body;
    if (runs.some(({ endedAt }: { endedAt: string | null }) => endedAt === null)) return undefined;
    const { ranges } = (await service.api('GET', `/api/ranges?repoId=${repoId}&limit=100`)).body;
    const byTag = new Map<string, string>();
    for (const { id, toTag } of ranges as { id: string; toTag: string | null }[]) {
      if (toTag === null) continue;
      assert.ok(!byTag.has(toTag), `${toTag} has two ranges`);
      byTag.set(toTag, id);
    }
    return tags.every((tag) => byTag.has(tag)) && byTag;
  });
}

/** Checks that the drafts of a tag are ready, and that the tag has one completed publication. */
async function checkTag(service: TestService, tag: string, ranges: ReadonlyMap<string, string>): Promise<void> {
  const rangeId = ranges.get(tag);
  assert.ok(rangeId, `${tag} has no range`);
  const draftId = await waitUntil(`the drafts of ${tag} are ready`, async () => {
    const { drafts } = (await service.api('GET', `/api/drafts?releaseRangeId=${rangeId}`)).body;
    const isReady =
      drafts.length === personas.length && drafts.every((each: { status: string }) => each.status === 'ready');
    return isReady && (drafts.find(({ persona }: { persona: string }) => persona === 'customer').id as string);
  });
  const publication = await waitUntil(`the notes of ${tag} are published`, async () => {
    const { publications } = (await service.api('GET', `/api/publications?draftId=${draftId}`)).body;
    assert.ok(publications.length <= 1, `${tag} has ${publications.length} publications`);
    return ['completed', 'failed'].includes(publications[0]?.status) && publications[0];
  });
  assert.equal(publication.status, 'completed', JSON.stringify(publication));
}

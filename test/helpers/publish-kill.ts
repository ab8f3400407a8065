/**
 * Kills a process of the service at random times while a draft is published to many channels. Then counts the items at
 * each receiver. If the service can ask a receiver for its items, the receiver must have exactly one item. Any other
 * receiver must have at most one item. If the item is missing there, the publication must report an unknown outcome.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ChannelName } from '../../src/protocol/channels.ts';
import { deliveriesOf } from './host/deliveries.ts';
import type { TestHost } from './host/server.ts';
import { seeded } from './random.ts';
import { generateDraft } from './rocket.ts';
import { type Answer, startService, type TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

/** A channel to publish to, and functions that read its receiver. */
export interface Target {
  channel: ChannelName;
  /** True when the service can ask the receiver which items exist there, so that no outcome remains unknown. */
  asked: boolean;
  /** Settings of the channel's connection; undefined for a channel that needs no connection. */
  settings?: object;
  /** Empties the receiver, so that each round has to create a new item there. */
  clear?: () => void;
  /** Returns everything that was sent to the receiver or is stored there, as text. */
  sent: (service: TestService) => string | Promise<string>;
  /** Returns how many items at the receiver contain `text`. */
  held: (text: string, service: TestService, publication: Answer['body']) => number | Promise<number>;
}

/** Number of publications of one channel, by outcome. */
export interface Tally {
  completed: number;
  /** Publications with unknown outcome: `unknownThere` if the receiver has the item, `unknownMissing` if not. */
  unknownThere: number;
  unknownMissing: number;
  /** Publications with more than one attempt. */
  resumed: number;
}

/**
 * The process to kill: the worker that publishes, the gateway that receives the request, or the journal server that
 * both use.
 */
export type Victim = 'worker' | 'gateway' | 'nats-server';

export interface KillOptions {
  kills: number;
  victim?: Victim;
  seed: number;
  /** Maximum time from the request to the kill, in milliseconds. Half of the kills happen within 60 milliseconds. */
  maxMs: number;
  host: TestHost;
  env?: Record<string, string>;
}

/** Publishes a draft and kills a process, once per round. Returns the number of publications by channel and outcome. */
export async function killPublishes(
  t: TestContext,
  targets: readonly Target[],
  options: KillOptions,
): Promise<Map<string, Tally>> {
  const { host, kills, seed } = options;
  const small = { TIDINGS_PARTITIONS: '1', TIDINGS_WORKERS: '1', TIDINGS_RENDER_THREADS: '1' };
  const env = {
    ...small,
    TIDINGS_TAG_SYNC_HOURS: '0',
    TIDINGS_EGRESS_ALLOW: '127.0.0.0/8',
    ...host.env,
    ...options.env,
  };
  const service = await startService(t, { env });
  const repoId = await deliverHistory(service, host);
  await connect(service, targets);
  const tallies = new Map(targets.map(({ channel }) => [channel as string, emptyTally()]));
  const random = seeded(seed);
  for (let round = 1; round <= kills; round++) {
    // Half of the kills happen early, while receivers answer quickly. The other half happen at any time up to the
    // maximum.
    const maxDelayMs = random(2) === 0 ? 60 : options.maxMs;
    const [text, afterMs] = [`Token${round}x${seed}`, random(maxDelayMs)];
    await killRound(service, { repoId, targets, tallies, text, afterMs, victim: options.victim ?? 'worker' });
  }
  assert.equal(await service.metric('tidings_fold_dead_letters_total'), 0);
  return tallies;
}

async function killRound(
  service: TestService,
  round: {
    repoId: string;
    targets: readonly Target[];
    tallies: Map<string, Tally>;
    text: string;
    afterMs: number;
    victim: Victim;
  },
): Promise<void> {
  const { repoId, targets, text, victim } = round;
  const draftId = await draftWith(service, repoId, text);
  for (const { clear } of targets) clear?.();
  const asked = targets.map(({ channel }) =>
    service.api('POST', '/api/publish', { draftId, channel }).catch((error: Error) => error),
  );
  await new Promise((resolve) => setTimeout(resolve, round.afterMs));
  const { [victim]: before } = await service.killParts(victim);
  await Promise.all(asked);
  await waitUntil(`the ${victim} runs again`, () => {
    const now = service.pids()[victim];
    return now !== 0 && now !== before;
  });
  await service.ready();
  for (const target of targets) {
    const publication = await ended(service, draftId, target.channel);
    const held = await target.held(text, service, publication);
    judge(target, publication, held, round.tallies.get(target.channel) as Tally);
  }
}

/** Makes a new range and a draft of the range. The draft contains a unique text that no receiver has yet. */
async function draftWith(service: TestService, repoId: string, text: string): Promise<string> {
  const bounds = { type: 'TAG_BASED', repoId, fromTag: 'v1.0.0', toTag: 'v2.0.0' };
  const range = await service.api('POST', '/api/ranges', bounds);
  assert.equal(range.status, 201, JSON.stringify(range.body));
  const draft = await generateDraft(service, range.body.id);
  const bodyMd = `## Features\n\n- ${text} lands on rough ground <!-- rn:pr:1 -->\n`;
  assert.equal((await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd })).status, 200);
  return draft.id;
}

/**
 * Waits until a publication has ended, and returns the publication. If no publication exists, the publish request was
 * never acknowledged. In this case, the function sends the request again.
 */
async function ended(service: TestService, draftId: string, channel: string): Promise<Answer['body']> {
  const list = async () =>
    (await service.api('GET', `/api/publications?draftId=${draftId}&channel=${channel}`)).body.publications;
  if ((await list()).length === 0) await service.api('POST', '/api/publish', { draftId, channel });
  return waitUntil(`the publication to ${channel} has ended`, async () => {
    const publications = await list();
    assert.ok(publications.length <= 1, `${channel} has ${publications.length} publications`);
    const [publication] = publications;
    return ['completed', 'failed'].includes(publication?.status) && publication;
  });
}

function judge(target: Target, publication: Answer['body'], held: number, tally: Tally): void {
  const state = `${target.channel}: ${JSON.stringify(publication)}, the receiver has ${held} items`;
  if (publication.attempts.length > 1) tally.resumed += 1;
  if (publication.status === 'completed') {
    assert.equal(held, 1, state);
    tally.completed += 1;
    return;
  }
  assert.equal(publication.outcomeUnknown, true, state);
  assert.equal(target.asked, false, state);
  assert.ok(held <= 1, state);
  assert.match(publication.error, /may have arrived/, state);
  if (held === 1) tally.unknownThere += 1;
  else tally.unknownMissing += 1;
}

/** Delivers the host's history to the service and returns the id of the repository. */
async function deliverHistory(service: TestService, host: TestHost): Promise<string> {
  for (const { event, payload } of deliveriesOf(host.history, host.place)) await service.deliver(event, payload);
  return waitUntil('the tags are known', async () => {
    const id = (await service.api('GET', '/api/repos')).body.repos[0]?.id;
    if (id === undefined) return undefined;
    const { tags } = (await service.api('GET', `/api/repos/${id}/tags`)).body;
    const names = tags.map(({ name }: { name: string }) => name);
    return ['v1.0.0', 'v2.0.0'].every((name) => names.includes(name)) && (id as string);
  });
}

async function connect(service: TestService, targets: readonly Target[]): Promise<void> {
  const { orgId } = (await service.api('GET', '/api/repos')).body.repos[0];
  for (const { channel, settings } of targets) {
    if (settings === undefined) continue;
    const { status, body } = await service.api('PUT', `/api/channels/${channel}?orgId=${orgId}`, { settings });
    assert.equal(status, 200, JSON.stringify(body));
  }
}

function emptyTally(): Tally {
  return { completed: 0, unknownThere: 0, unknownMissing: 0, resumed: 0 };
}

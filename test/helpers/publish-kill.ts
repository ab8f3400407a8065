/**
 * Kills the worker at random points while a draft is published to many channels at once, and counts what each receiver holds
 * afterwards: exactly one item where it can be asked, at most one elsewhere, and none missing without a word.
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

/** A channel with its receiver. */
export interface Target {
  channel: ChannelName;
  /** Whether the receiver can be asked, so that nothing ends unknown. */
  asked: boolean;
  /** Settings of the connection; without them it has none. */
  settings?: object;
  /** Has the receiver forget all, so that each round makes something new there. */
  clear?: () => void;
  /** All that the receiver holds or was sent, as text. */
  sent: (service: TestService) => string | Promise<string>;
  /** How many items of the receiver hold a text. */
  held: (text: string, service: TestService, publication: Answer['body']) => number | Promise<number>;
}

/** What became of the publications of one channel. */
export interface Tally {
  completed: number;
  /** Ended unknown, and the receiver has it, or has it not. */
  unknownThere: number;
  unknownMissing: number;
  /** Publications that took more than one attempt. */
  resumed: number;
}

/** What is killed: the program that sends, the one that is asked, or the journal under both. */
export type Victim = 'worker' | 'gateway' | 'nats-server';

export interface KillOptions {
  kills: number;
  victim?: Victim;
  seed: number;
  /** Longest time from asking to the kill, in milliseconds; most kills come far sooner. */
  longestMs: number;
  host: TestHost;
  env?: Record<string, string>;
}

/** Publishes and kills so many times; what became of it, by channel. */
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
  const repoId = await tellOf(service, host);
  await connect(service, targets);
  const tallies = new Map(targets.map(({ channel }) => [channel as string, emptyTally()]));
  const random = seeded(seed);
  for (let round = 1; round <= kills; round++) {
    // Half of the kills come while things are quick, the others while hosts make us wait.
    const longest = random(2) === 0 ? 60 : options.longestMs;
    const [text, afterMs] = [`Token${round}x${seed}`, random(longest)];
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

/** A new draft of a new range, with a text of its own: no receiver knows anything of it. */
async function draftWith(service: TestService, repoId: string, text: string): Promise<string> {
  const bounds = { type: 'TAG_BASED', repoId, fromTag: 'v1.0.0', toTag: 'v2.0.0' };
  const range = await service.api('POST', '/api/ranges', bounds);
  assert.equal(range.status, 201, JSON.stringify(range.body));
  const draft = await generateDraft(service, range.body.id);
  const bodyMd = `## Features\n\n- ${text} lands on rough ground <!-- rn:pr:1 -->\n`;
  assert.equal((await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd })).status, 200);
  return draft.id;
}

/** The publication once it has ended. One that was never folded was never acknowledged: it is asked for again. */
async function ended(service: TestService, draftId: string, channel: string): Promise<Answer['body']> {
  const look = async () =>
    (await service.api('GET', `/api/publications?draftId=${draftId}&channel=${channel}`)).body.publications;
  if ((await look()).length === 0) await service.api('POST', '/api/publish', { draftId, channel });
  return waitUntil(`the publication to ${channel} has ended`, async () => {
    const publications = await look();
    assert.ok(publications.length <= 1, `${channel} has ${publications.length} publications`);
    const [publication] = publications;
    return ['completed', 'failed'].includes(publication?.status) && publication;
  });
}

function judge(target: Target, publication: Answer['body'], held: number, tally: Tally): void {
  const told = `${target.channel}: ${JSON.stringify(publication)}, held ${held} times`;
  if (publication.attempts.length > 1) tally.resumed += 1;
  if (publication.status === 'completed') {
    assert.equal(held, 1, told);
    tally.completed += 1;
    return;
  }
  assert.equal(publication.outcomeUnknown, true, told);
  assert.equal(target.asked, false, told);
  assert.ok(held <= 1, told);
  assert.match(publication.error, /may have arrived/, told);
  if (held === 1) tally.unknownThere += 1;
  else tally.unknownMissing += 1;
}

/** Delivers the host's history; the repository's id. */
async function tellOf(service: TestService, host: TestHost): Promise<string> {
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

/**
 * Tests the distribution of live events to streams: who sees which event, how often, and how a client continues after a
 * break of its connection.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Caller } from '../../../src/api/authenticate.ts';
import { EventHub, type StreamRequest } from '../../../src/api/event-hub.ts';
import type { PositionOf } from '../../../src/api/event-stream.ts';
import { ServiceError } from '../../../src/foundation/errors.ts';
import { HiddenNumbers } from '../../../src/foundation/hidden-numbers.ts';
import { createLogger } from '../../../src/foundation/logger.ts';
import type { StreamEnd } from '../../../src/http/reply-stream.ts';
import type {
  FoldedEvent,
  LostRepository,
  PartitionChanges,
  RepositoryChange,
} from '../../../src/protocol/live-events.ts';
import { liveEventSamples } from '../../../src/protocol/resources/events.ts';

/** A stream as its client sees it. */
class Reader {
  text = '';
  end: StreamEnd | undefined;
  onEnd: (end: StreamEnd) => void = () => {};

  /** The events that arrived since the last call, as `name` and one id of the data. */
  take(): string[] {
    const found = [...this.text.matchAll(/^event: (\S+)\ndata: (\{.*\})\n\n/gm)];
    this.text = '';
    return found.map(([, name, data]) => {
      const { repoId, event, publicationId, rangeId, reason } = JSON.parse(data as string);
      return [name, rangeId ?? publicationId ?? reason ?? repoId, event].filter((part) => part !== undefined).join(' ');
    });
  }

  /** The last id that arrived since the last call of `take`. */
  get id(): string {
    return [...this.text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? '';
  }
}

function callerOf(orgId: string | null, repositories: readonly string[], scopes = ['*']): Caller {
  const key = { id: `key of ${orgId}`, orgId, scopes } as unknown as Caller['key'];
  return { key, maySee: (repoId: string) => repositories.includes(repoId) } as unknown as Caller;
}

const acme = callerOf('org_acme', ['repo_1', 'repo_2']);
const moon = callerOf('org_moon', ['repo_9']);
const instance = callerOf(null, ['repo_1', 'repo_2', 'repo_9']);

class Stage {
  readonly hub: EventHub;
  clock = 1_000_000;
  subscriptions = 0;
  private onChanges: (changes: PartitionChanges) => void = () => {};
  private readonly t: TestContext;

  constructor(t: TestContext, positionOf?: PositionOf) {
    this.t = t;
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    const receive = async (onChanges: (changes: PartitionChanges) => void) => {
      this.onChanges = onChanges;
      this.subscriptions += 1;
      return () => {
        this.subscriptions -= 1;
        this.onChanges = () => {};
      };
    };
    this.hub = new EventHub(receive, createLogger('test', 'silent'), () => this.clock, positionOf);
    t.after(() => this.hub.stop());
  }

  async open(caller: Caller, request: Partial<StreamRequest> = {}): Promise<Reader> {
    await this.hub.begin();
    const reader = new Reader();
    const stream = (_type: string, first: string, _headers: readonly string[], onEnd: (end: StreamEnd) => void) => {
      reader.text = first;
      reader.onEnd = (end) => {
        if (reader.end !== undefined) return;
        reader.end = end;
        onEnd(end);
      };
      return {
        write: (piece: string) => {
          reader.text += piece;
        },
        end: () => reader.onEnd('service'),
      } as never;
    };
    this.hub.open(
      { stream },
      { caller, admitAgain: () => caller, lastEventId: undefined, samples: undefined, ...request },
    );
    return reader;
  }

  async announce(...events: FoldedEvent[]): Promise<void> {
    this.onChanges({ reset: false, events });
    await turn();
    // Events that streams limit per object are sent in rounds.
    this.pass(250);
  }

  async announceLost(...lost: LostRepository[]): Promise<void> {
    this.onChanges({ reset: false, events: [], lost });
    await turn();
  }

  async reset(): Promise<void> {
    this.onChanges({ reset: true, events: [] });
    await turn();
  }

  /** Announces more changes than a partition lists. */
  async announceUnlisted(repoIds: readonly string[], orgIds: readonly string[] = []): Promise<void> {
    this.onChanges({ reset: false, events: [], unlisted: { repoIds, orgIds } });
    await turn();
  }

  pass(ms: number): void {
    this.clock += ms;
    this.t.mock.timers.tick(ms);
  }
}

function repository(repoId: string, event?: RepositoryChange): FoldedEvent {
  return { event: 'repo.event', data: { repoId, ...(event && { event }) } };
}

function publication(publicationId: string, repoId = 'repo_1'): FoldedEvent {
  const data = { repoId, draftId: 'draft_1', publicationId, channel: 'hosted', status: 'completed' } as const;
  return { event: 'publication.status', data };
}

function range(rangeId: string, prCount: number, repoId = 'repo_1'): FoldedEvent {
  const counts = { prCount, issueCount: 0, resolution: 'compare' } as const;
  return { event: 'range.counts', data: { repoId, rangeId, counts } };
}

test('a stream begins with a wait and a position, and gets what happens from then on', async (t) => {
  const stage = new Stage(t);
  const reader = await stage.open(acme);
  assert.match(reader.text, /^retry: 2000\n\nid: [0-9a-f]{32}\n\n$/);
  await stage.announce(publication('pub_1'), repository('repo_1', 'push'));
  const { id } = reader;
  assert.deepEqual((await stage.open(acme, { lastEventId: id })).take(), [], 'it is the position of the newest event');
  assert.deepEqual(reader.take(), ['publication.status pub_1', 'repo.event repo_1 push']);
});

test('a client sees only events of its repositories, and only with the scope to read them', async (t) => {
  const stage = new Stage(t);
  const readers = [acme, moon, instance].map((caller) => stage.open(caller));
  const [own, foreign, all] = await Promise.all(readers);
  const drafts = await stage.open(callerOf('org_acme', ['repo_1'], ['drafts:read']));
  const none = await stage.open(callerOf('org_acme', ['repo_1'], ['keys:read']));
  await stage.announce(repository('repo_1', 'tag'), range('range_1', 1), publication('pub_1'));
  assert.deepEqual(own?.take(), ['publication.status pub_1', 'repo.event repo_1 tag', 'range.counts range_1']);
  assert.equal(all?.take().length, 3);
  assert.deepEqual(drafts.take(), ['publication.status pub_1']);
  for (const reader of [foreign, none]) assert.deepEqual(reader?.take(), []);
});

test('the loss of a repository is shown to the organization that had it, and to the instance', async (t) => {
  const stage = new Stage(t);
  const [lost, other, all] = [await stage.open(acme), await stage.open(moon), await stage.open(instance)];
  const blind = await stage.open({ ...acme, key: { ...acme.key, id: 'blind', scopes: ['drafts:read'] } } as Caller);
  const { id } = lost;
  await stage.announceLost({ repoId: 'repo_gone', orgId: 'org_acme' });
  const expected = ['repo.event repo_gone repository'];
  assert.deepEqual([lost.take(), all.take(), other.take(), blind.take()], [expected, expected, [], []]);
  assert.deepEqual(
    (await stage.open(acme, { lastEventId: id })).take(),
    expected,
    'a client that was away misses nothing',
  );
});

test('a refused delivery is shown to the organization whose secret signed it, and to the instance', async (t) => {
  const stage = new Stage(t);
  const [own, foreign, all] = await Promise.all([acme, moon, instance].map((caller) => stage.open(caller)));
  stage.hub.refused('malformed', 'org_acme');
  assert.deepEqual(own?.take(), ['delivery.refused malformed']);
  for (let i = 0; i < 100; i++) stage.hub.refused('wrong_signature', null);
  stage.pass(1000);
  assert.deepEqual(all?.take(), ['delivery.refused malformed', 'delivery.refused wrong_signature']);
  stage.pass(5000);
  for (const reader of [own, foreign, all]) assert.deepEqual(reader?.take(), []);
});

test('events of a repository come at most once per second, and the last one is sent late', async (t) => {
  const stage = new Stage(t);
  const reader = await stage.open(acme);
  await stage.announce(repository('repo_1', 'push'));
  await stage.announce(repository('repo_1', 'push'), repository('repo_2', 'push'));
  await stage.announce(repository('repo_1', 'tag'), range('range_1', 1));
  await stage.announce(range('range_1', 2), range('range_1', 3), range('range_2', 1));
  assert.deepEqual(reader.take(), [
    'repo.event repo_1 push',
    'repo.event repo_2 push',
    'range.counts range_1',
    'range.counts range_2',
  ]);
  stage.pass(249);
  assert.deepEqual(reader.take(), []);
  stage.pass(1);
  assert.deepEqual(reader.take(), ['repo.event repo_1'], 'two changes are not named');
  stage.pass(500);
  assert.match(reader.text, /"prCount":3/);
  assert.deepEqual(reader.take(), ['range.counts range_1']);
  await stage.announce(repository('repo_1', 'push'));
  assert.deepEqual(reader.take(), []);
  stage.pass(1000);
  assert.deepEqual(reader.take(), ['repo.event repo_1 push']);
});

test('a client continues after its last event', async (t) => {
  const stage = new Stage(t);
  const first = await stage.open(acme);
  await stage.announce(publication('pub_1'));
  const { id } = first;
  await stage.announce(publication('pub_2'), publication('pub_3', 'repo_9'), publication('pub_4'));
  await stage.announce(publication('pub_2'));
  const second = await stage.open(acme, { lastEventId: id });
  const { id: end } = second;
  assert.deepEqual(second.take(), ['publication.status pub_4', 'publication.status pub_2']);
  const third = await stage.open(acme, { lastEventId: end });
  assert.deepEqual(third.take(), [], 'nothing was missed');
});

test('the position does not pass an event that waits', async (t) => {
  const stage = new Stage(t);
  const reader = await stage.open(acme);
  await stage.announce(repository('repo_1', 'push'));
  await stage.announce(repository('repo_1', 'tag'));
  await stage.announce(publication('pub_1'));
  const { id } = reader;
  const again = await stage.open(acme, { lastEventId: id });
  assert.deepEqual(again.take(), ['repo.event repo_1', 'publication.status pub_1']);
  reader.take();
  stage.pass(1000);
  const after = reader.id;
  assert.deepEqual((await stage.open(acme, { lastEventId: after })).take(), []);
});

test('an id that is unknown, too old or from another gateway leads to a reset', async (t) => {
  const stage = new Stage(t);
  const reader = await stage.open(acme);
  const { id } = reader;
  const ofOther = new HiddenNumbers('another gateway').hide(0);
  for (const lastEventId of ['', 'nonsense', '0'.repeat(32), id.slice(1), `${id}0`, id.toUpperCase(), ofOther]) {
    const again = await stage.open(callerOf(lastEventId, []), { lastEventId });
    assert.deepEqual(again.take(), ['reset'], lastEventId);
  }
  for (let i = 0; i < 1000; i++) await stage.announce(publication(`pub_${i}`, 'repo_9'));
  assert.deepEqual((await stage.open(acme, { lastEventId: id })).take(), [], 'the newest 1,000 objects are kept');
  await stage.announce(publication('pub_more', 'repo_9'));
  assert.deepEqual((await stage.open(acme, { lastEventId: id })).take(), ['reset']);
});

test('a client that has missed very much gets a reset instead', async (t) => {
  const stage = new Stage(t);
  const { id } = await stage.open(acme);
  for (let i = 0; i < 400; i++) await stage.announce(publication(`pub_${i}`));
  assert.deepEqual((await stage.open(acme, { lastEventId: id })).take(), ['reset']);
});

test('a reset of a partition reaches every client, at most once in five seconds', async (t) => {
  const stage = new Stage(t);
  const [own, none] = [await stage.open(acme), await stage.open(callerOf('org_none', [], []))];
  const { id } = own;
  for (let i = 0; i < 3; i++) await stage.reset();
  for (const reader of [own, none]) assert.deepEqual(reader.take(), ['reset']);
  stage.pass(5000);
  assert.deepEqual(own.take(), ['reset']);
  assert.deepEqual((await stage.open(acme, { lastEventId: id })).take(), ['reset']);
});

test('a flood of changes resets only the clients that may see one of its repositories', async (t) => {
  const stage = new Stage(t);
  const nothing = callerOf('org_acme', ['repo_1'], []);
  const [own, other, none, all] = [
    await stage.open(acme),
    await stage.open(moon),
    await stage.open(nothing),
    await stage.open(instance),
  ];
  const { id } = other;
  await stage.announceUnlisted(['repo_1', 'repo_2', 'repo_unknown']);
  await stage.announce(publication('pub_9', 'repo_9'));
  for (const reader of [own, none]) assert.deepEqual(reader.take(), ['reset']);
  assert.deepEqual(all.take(), ['reset', 'publication.status pub_9']);
  assert.deepEqual(other.take(), ['publication.status pub_9']);
  stage.pass(5000);
  for (const reader of [own, none, all]) assert.deepEqual(reader.take(), [], 'one reset is enough');

  const missed = async (caller: Caller) => (await stage.open(caller, { lastEventId: id })).take();
  assert.deepEqual(await missed(acme), ['reset']);
  assert.deepEqual(await missed(moon), ['publication.status pub_9']);
});

test('a flood of changes resets the organization that loses a repository in it', async (t) => {
  const stage = new Stage(t);
  const [own, other, all] = [await stage.open(acme), await stage.open(moon), await stage.open(instance)];
  await stage.announceUnlisted(['repo_gone'], ['org_moon']);
  for (const reader of [other, all]) assert.deepEqual(reader.take(), ['reset']);
  assert.deepEqual(own.take(), []);
});

test('repeated floods reset a client at most once in five seconds, also if it loses a repository meanwhile', async (t) => {
  const stage = new Stage(t);
  let caller = acme;
  const reader = await stage.open(acme, { admitAgain: () => caller });
  for (const repoId of ['repo_1', 'repo_2', 'repo_1']) await stage.announceUnlisted([repoId]);
  assert.deepEqual(reader.take(), ['reset']);
  caller = callerOf('org_acme', []);
  stage.pass(5000);
  assert.deepEqual(reader.take(), ['reset']);
  stage.pass(5000);
  assert.deepEqual(reader.take(), []);
});

test('floods in very many repositories reset every client', async (t) => {
  const stage = new Stage(t);
  const readers = [await stage.open(moon), await stage.open(callerOf('org_none', [], []))];
  const [some, more] = ['a', 'b'].map((part) => Array.from({ length: 300 }, (_, i) => `repo_${part}_${i}`));
  const announced = [stage.announceUnlisted(some as string[]), stage.announceUnlisted(more as string[])];
  await Promise.all(announced);
  for (const reader of readers) assert.deepEqual(reader.take(), ['reset']);
});

test('a stream ends when its key is not valid any more', async (t) => {
  const stage = new Stage(t);
  let isRevoked = false;
  const admitAgain = () => {
    if (isRevoked) throw new ServiceError('unauthorized', 'The API key was revoked.');
    return acme;
  };
  const ends: Record<string, () => Promise<void> | void> = {
    'at the next event': () => stage.announce(publication('pub_1')),
    'after a change of the directory': () => {
      stage.hub.checkKeys();
      stage.pass(100);
    },
    'with the heartbeat': () => stage.pass(15_000),
    'before an event that waits': async () => {
      isRevoked = false;
      await stage.announce(repository('repo_1', 'push'));
      isRevoked = true;
      stage.pass(1250);
    },
  };
  for (const [when, act] of Object.entries(ends)) {
    isRevoked = false;
    stage.pass(10_000);
    const reader = await stage.open(acme, { admitAgain });
    await stage.announce(repository('repo_1', 'push'));
    assert.deepEqual([reader.take().length, reader.end], [1, undefined], when);
    isRevoked = true;
    await act();
    assert.deepEqual([reader.take(), reader.end], [[], 'service'], when);
  }
});

test('a heartbeat has a comment and the position', async (t) => {
  const stage = new Stage(t);
  const reader = await stage.open(acme);
  await stage.announce(publication('pub_9', 'repo_9'));
  reader.take();
  stage.pass(15_000);
  assert.match(reader.text, /^: heartbeat\nid: [0-9a-f]{32}\n\n$/);
  assert.deepEqual((await stage.open(acme, { lastEventId: reader.id })).take(), [], 'it is after the event');
});

test('a key has at most four streams, and gets room when one ends', async (t) => {
  const stage = new Stage(t);
  const readers = await Promise.all(Array.from({ length: 4 }, () => stage.open(acme)));
  const refusal = { kind: 'rateLimited', message: /at most|can have 4 open streams/ };
  await assert.rejects(stage.open(acme), refusal);
  await stage.open(moon);
  readers[0]?.onEnd('client');
  await stage.open(acme);
  await assert.rejects(stage.open(acme), refusal);
});

/** A caller with a key of its own. */
function another(caller: Caller, id: number): Caller {
  return { ...caller, key: { ...caller.key, id: `key_${id}` } };
}

test('an organization has at most a hundred streams', async (t) => {
  const stage = new Stage(t);
  for (let i = 0; i < 100; i++) await stage.open(another(acme, i));
  await assert.rejects(stage.open(acme), { kind: 'rateLimited', message: /^An organization can have 100/ });
  await stage.open(moon);
  await stage.open(instance);
});

test('the gateway has at most a thousand streams, a hundred of them for instance keys only', async (t) => {
  const stage = new Stage(t);
  for (let i = 0; i < 900; i++) await stage.open(callerOf(`org_${i}`, []));
  await assert.rejects(stage.open(acme), { kind: 'unavailable' });
  for (let i = 0; i < 100; i++) await stage.open(another(instance, i));
  await assert.rejects(stage.open(instance), { kind: 'unavailable' });
});

test('changes are received while streams are open and for a minute after', async (t) => {
  const stage = new Stage(t);
  assert.equal(stage.subscriptions, 0);
  const reader = await stage.open(acme);
  const { id } = reader;
  assert.equal(stage.subscriptions, 1);
  reader.onEnd('client');
  stage.pass(59_000);
  await stage.announce(publication('pub_1'));
  const again = await stage.open(acme, { lastEventId: id });
  const { id: later } = again;
  assert.deepEqual(again.take(), ['publication.status pub_1']);
  again.onEnd('client');
  stage.pass(60_000);
  await turn();
  assert.equal(stage.subscriptions, 0);
  assert.deepEqual((await stage.open(acme, { lastEventId: later })).take(), ['reset']);
});

test('many streams get a batch in several turns, in order, and ask once per key what they may see', async (t) => {
  const stage = new Stage(t);
  let asked = 0;
  const counting = { ...acme, maySee: (repoId: string) => ++asked > 0 && acme.maySee(repoId) } as Caller;
  const readers: Reader[] = [];
  for (let i = 0; i < 90; i++) {
    const session = { id: `session_${i}` } as Caller['session'];
    readers.push(await stage.open({ ...counting, session } as Caller));
  }
  await stage.announce(publication('pub_1'), publication('pub_2', 'repo_9'));
  assert.deepEqual([readers[49]?.take(), readers[50]?.take()], [['publication.status pub_1'], []]);
  const late = await stage.open(acme);
  await stage.announce(publication('pub_3'));
  for (let i = 0; i < 10; i++) await turn();
  const both = ['publication.status pub_1', 'publication.status pub_3'];
  assert.deepEqual(readers[89]?.take(), both);
  assert.deepEqual(readers[0]?.take().slice(-1), both.slice(1));
  assert.deepEqual(late.take(), both.slice(1), 'a later stream does not get the events before it');
  assert.equal(asked, 3, 'one question per event and key');
});

test('changes of a subscription that was replaced or has failed are ignored', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const calls: ((changes: PartitionChanges) => void)[] = [];
  const hub = new EventHub(
    async (onChanges) => {
      if (calls.push(onChanges) === 1) throw new Error('the journal cannot be reached');
      return () => {};
    },
    createLogger('test', 'silent'),
    () => 0,
  );
  t.after(() => hub.stop());
  await assert.rejects(hub.begin(), { kind: 'unavailable' });
  await hub.begin();
  const pieces: string[] = [];
  const stream = () => ({ write: (piece: string) => pieces.push(piece), end: () => {} }) as never;
  hub.open({ stream }, { caller: acme, admitAgain: () => acme, lastEventId: undefined, samples: undefined });
  for (const call of calls) call({ reset: false, events: [publication('pub_1')] });
  await turn();
  assert.equal(calls.length, 2);
  assert.equal(pieces.join('').match(/pub_1/g)?.length, 1);
});

test('a stream in test mode has one sample of each event and no other events', async (t) => {
  const stage = new Stage(t);
  const reader = await stage.open(acme, { samples: liveEventSamples });
  assert.deepEqual(
    reader.take().map((each) => each.split(' ')[0]),
    liveEventSamples.map(({ event }) => event),
  );
  await stage.announce(publication('pub_1'));
  await stage.reset();
  assert.deepEqual(reader.take(), []);
  stage.pass(15_000);
  assert.match(reader.text, /^: heartbeat/);
});

test('a stop ends all streams and opens no others', async (t) => {
  const stage = new Stage(t);
  const reader = await stage.open(acme);
  stage.hub.stop();
  assert.equal(reader.end, 'service');
  await turn();
  assert.equal(stage.subscriptions, 0);
  await assert.rejects(stage.open(acme), { kind: 'unavailable' });
});

test('a stream whose events cannot be read ends, and others continue', async (t) => {
  const stage = new Stage(t);
  const broken = callerOf('org_broken', []);
  broken.maySee = () => {
    throw new Error('the store is closed');
  };
  const [reader, other] = [await stage.open(broken), await stage.open(acme)];
  await stage.announce(publication('pub_1'));
  assert.equal(reader.end, 'service');
  assert.deepEqual(other.take(), ['publication.status pub_1']);
});

test('On several machines, each event names the positions at the moment when it is sent', async (t) => {
  let seq = 1;
  const stage = new Stage(t, ({ name }) => `${name === 'reset' ? 'p01' : 'p00'}:${seq}`);
  const reader = await stage.open(acme);
  const positions = () => [...reader.text.matchAll(/"position":"(\S+?)"\}$/gm)].map(([, position]) => position);
  await stage.announce(repository('repo_1', 'push'));
  await stage.announce(publication('pub_1'));
  // The second event of a repository waits for a second. It is sent with the positions of that time.
  await stage.announce(repository('repo_1', 'tag'));
  seq = 2;
  stage.pass(2000);
  assert.deepEqual(positions(), ['p00:1', 'p00:1', 'p00:2']);
  const again = await stage.open(acme, { lastEventId: 'unknown' });
  assert.match(again.text, /^event: reset\ndata: \{"position":"p01:2"\}$/m);
  const sample = await stage.open(acme, { samples: liveEventSamples });
  assert.doesNotMatch(sample.text, /position/);
});

/** Tests the permissions of each role on a real server: a role can do its own work and nothing else. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type NatsConnection } from 'nats';
import { connectionFault, connectionOptions, type Journal } from '../../src/journal/connect.ts';
import { Follower } from '../../src/journal/follow.ts';
import { claimInstance } from '../../src/journal/instance.ts';
import { answerQueries, ask } from '../../src/journal/query.ts';
import { inboxPrefixOf, type JournalRole, journalRoles } from '../../src/journal/roles.ts';
import { FoldedSignals, publishFolded } from '../../src/journal/signal.ts';
import {
  announcementSubject,
  changesSubject,
  foldedSubject,
  gatewaySubject,
  instanceSubject,
  leadQuerySubject,
  memberSubject,
  noticesSubject,
  positionsSubject,
  querySubject,
  recordsSubject,
  snapshotSubject,
  soleNode,
  streamOf,
} from '../../src/journal/subjects.ts';
import { ensureStream, purgeStream, streamState } from '../../src/journal/topology.ts';
import { localJournal } from '../../src/supervisor/nats-server.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { quiet, startNats, type TestNats } from '../helpers/journal.ts';
import { feed } from '../helpers/partition-owner.ts';
import { smallRecord, streamBytes } from '../helpers/partition-stream.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const stream = streamOf('p00');
const api = '$JS.API';

/**
 * One example of each kind of subject on the server. The key of an entry names the action that a message to this
 * subject causes.
 */
const publishes: Record<string, string> = {
  enqueue: recordsSubject('p00'),
  ask: querySubject(soleNode, 'p00'),
  'ask the lead': leadQuerySubject(soleNode, 'p00'),
  announce: foldedSubject(soleNode, 'p00'),
  'announce changes': changesSubject(soleNode, 'p00'),
  claim: instanceSubject,
  'announce positions': positionsSubject(soleNode),
  'ask for a snapshot': snapshotSubject(soleNode, 'p00'),
  'ask the gateway': gatewaySubject(soleNode),
  'announce a gateway': announcementSubject('local-0'),
  'ask one gateway': memberSubject('local-0'),
  'notify the gateways': noticesSubject,
  'make a stream': `${api}.STREAM.CREATE.OTHER`,
  'change a stream': `${api}.STREAM.UPDATE.${stream}`,
  'delete a stream': `${api}.STREAM.DELETE.${stream}`,
  'purge a stream': `${api}.STREAM.PURGE.${stream}`,
  'read where a stream stands': `${api}.STREAM.INFO.${stream}`,
  'list streams': `${api}.STREAM.NAMES`,
  'read a message': `${api}.STREAM.MSG.GET.${stream}`,
  'read a message directly': `${api}.DIRECT.GET.${stream}`,
  'delete a message': `${api}.STREAM.MSG.DELETE.${stream}`,
  'copy a stream': `${api}.STREAM.SNAPSHOT.${stream}`,
  'restore a stream': `${api}.STREAM.RESTORE.${stream}`,
  follow: `${api}.CONSUMER.CREATE.${stream}`,
  'follow durably': `${api}.CONSUMER.DURABLE.CREATE.${stream}.name`,
  pull: `${api}.CONSUMER.MSG.NEXT.${stream}.name`,
  'reply to the supervisor': `${inboxPrefixOf('supervisor')}.x`,
  'reply to the gateway': `${inboxPrefixOf('gateway')}.x`,
  'reply to a worker': `${inboxPrefixOf('worker')}.x`,
  'reply to the command line': `${inboxPrefixOf('cli')}.x`,
  'ask the server itself': '$SYS.REQ.SERVER.PING',
  'anything else': 'some.subject',
};

const subscribes: Record<string, string> = {
  'read what is enqueued': recordsSubject('*'),
  'hear questions': querySubject(soleNode, '*'),
  'hear questions to the lead': leadQuerySubject(soleNode, '*'),
  'hear how far the fold is': foldedSubject(soleNode, '*'),
  'hear changes': changesSubject(soleNode, '*'),
  'hear claims': instanceSubject,
  'hear positions': positionsSubject('*'),
  'hear requests for snapshots': snapshotSubject(soleNode, '*'),
  'hear questions to the gateway': gatewaySubject(soleNode),
  'hear of gateways': announcementSubject('*'),
  'hear questions to one gateway': memberSubject('local-0'),
  'hear notices': noticesSubject,
  'read replies to the supervisor': `${inboxPrefixOf('supervisor')}.>`,
  'read replies to the gateway': `${inboxPrefixOf('gateway')}.>`,
  'read replies to a worker': `${inboxPrefixOf('worker')}.>`,
  'read replies to the command line': `${inboxPrefixOf('cli')}.>`,
  'read all replies': '_INBOX.>',
  'read requests to JetStream': '$JS.>',
  'read everything': '>',
};

const allowed: Record<JournalRole, { publishes: string[]; subscribes: string[] }> = {
  supervisor: {
    publishes: ['claim', 'make a stream', 'change a stream', 'read where a stream stands'],
    subscribes: ['hear claims', 'read replies to the supervisor'],
  },
  gateway: {
    publishes: ['enqueue', 'ask', 'ask the lead', 'announce a gateway', 'ask one gateway', 'notify the gateways'],
    subscribes: [
      'hear how far the fold is',
      'hear changes',
      'hear questions to the gateway',
      'hear of gateways',
      'hear questions to one gateway',
      'hear notices',
      'read replies to the gateway',
    ],
  },
  worker: {
    publishes: [
      'enqueue',
      'ask',
      'ask the lead',
      'announce',
      'announce changes',
      'purge a stream',
      'read where a stream stands',
      'read a message',
      'follow',
      'pull',
    ],
    subscribes: ['hear questions', 'hear questions to the lead', 'read replies to a worker'],
  },
  cli: {
    publishes: ['enqueue', 'ask', 'ask the lead', 'ask the gateway', 'read where a stream stands'],
    subscribes: ['hear how far the fold is', 'read replies to the command line'],
  },
};

/**
 * Opens a connection with the key of a role. Returns the connection, and the subjects to which the server has refused
 * access.
 */
async function connectAs(t: TestContext, nats: TestNats, role: JournalRole) {
  const settings = localJournal(nats.dataDir, nats.port, role);
  const connection = await connect(connectionOptions(settings, { role, name: 'test' }));
  afterwards(t, () => connection.close());
  const refused = new Set<string>();
  void watch(connection, refused);
  return { connection, refused };
}

async function watch(connection: NatsConnection, refused: Set<string>): Promise<void> {
  for await (const status of connection.status()) {
    const { permissionContext } = status as { permissionContext?: { operation: string; subject: string } };
    if (permissionContext) refused.add(`${permissionContext.operation} ${permissionContext.subject}`);
  }
}

for (const role of journalRoles) {
  test(`the role ${role} may use its own subjects and no others`, async (t) => {
    const nats = await startNats(t);
    await ensureStream(await nats.connect(), 'p00', streamBytes);
    const { connection, refused } = await connectAs(t, nats, role);
    // The messages are empty and have no reply subject, so JetStream carries out no action.
    for (const subject of Object.values(publishes)) connection.publish(subject);
    for (const subject of Object.values(subscribes)) connection.subscribe(subject, { callback: () => {} });
    await connection.flush();
    // The server sends its refusals before it answers the flush, but the client may read the refusals after that
    // answer.
    await waitUntil('the refusals are read', () => refused.size >= expected('publishes') + expected('subscribes'));
    const taken = (subjects: Record<string, string>, operation: string) =>
      Object.keys(subjects).filter((what) => !refused.has(`${operation} ${subjects[what]}`));
    assert.deepEqual(taken(publishes, 'publish'), allowed[role].publishes);
    assert.deepEqual(taken(subscribes, 'subscription'), allowed[role].subscribes);

    function expected(kind: 'publishes' | 'subscribes'): number {
      const all = kind === 'publishes' ? publishes : subscribes;
      return Object.keys(all).length - allowed[role][kind].length;
    }
  });
}

test('an acknowledgement sent to the subject of a delete request deletes no message', async (t) => {
  const nats = await startNats(t);
  const supervisor = await nats.connect('supervisor');
  // A stream as an earlier version of Tidings created it, without protection against deletes.
  await supervisor.manager.streams.add({ name: stream, subjects: [recordsSubject('p00')], max_bytes: streamBytes });
  const roles = [await nats.connect('gateway'), await nats.connect('worker'), await nats.connect('cli')];
  const enqueue = async () => {
    for (const { connection } of roles) {
      connection.publish(recordsSubject('p00'), 'record', { reply: `${api}.STREAM.MSG.DELETE.${stream}` });
      await connection.flush();
      // The server processes messages in order. When it answers this request, it has already carried out or refused the
      // acknowledgement.
      await connection.request(recordsSubject('p00'), 'another');
    }
    return (await supervisor.manager.streams.info(stream)).state;
  };
  await enqueue();
  await waitUntil('the records of an unprotected stream are deleted', async () => {
    const { state } = await supervisor.manager.streams.info(stream);
    return state.messages === 3;
  });
  await ensureStream(supervisor, 'p00', streamBytes);
  assert.equal((await enqueue()).messages, 9);
});

test('the roles can do their work together', async (t) => {
  const nats = await startNats(t);
  const [supervisor, gateway, worker, cli] = [
    await nats.connect('supervisor'),
    await nats.connect('gateway'),
    await nats.connect('worker'),
    await nats.connect('cli'),
  ];
  const claim = (journal: Journal, dataDir: string) =>
    claimInstance(
      journal,
      () => ({ dataDir, node: undefined, identity: undefined }),
      (_, other) => `taken by ${other.dataDir}`,
    );
  await claim(supervisor, 'here');
  await assert.rejects(claim(await nats.connect('supervisor'), 'there'), /taken by here/);
  await ensureStream(supervisor, 'p00', streamBytes);
  await ensureStream(supervisor, 'p00', streamBytes * 2);

  const follower = new Follower(worker, 'p00', 0, quiet);
  const read: number[] = [];
  const reading = (async () => {
    for await (const batch of follower.batches()) read.push(...batch.map(({ seq }) => seq));
  })();
  for (const [i, journal] of [gateway, worker, cli].entries()) {
    const lane = feed(journal);
    assert.equal((await lane.enqueue(smallRecord(`record ${i}`))).seq, i + 1);
    await lane.close();
  }
  await waitUntil('all is read', () => read.length === 3);
  follower.stop();
  await reading;
  assert.deepEqual(read, [1, 2, 3]);

  answerQueries(worker, 'p00', async (question: number) => question * 2);
  await worker.connection.flush();
  for (const journal of [gateway, worker, cli]) assert.equal(await ask(journal, 'p00', 2), 4);

  const heard: number[] = [];
  const signals = new FoldedSignals(gateway, ({ seq }) => void heard.push(seq));
  await gateway.connection.flush();
  publishFolded(worker, { partition: 'p00', generation: 1, seq: 3 });
  await waitUntil('the signal is heard', () => heard.length === 1);
  signals.close();

  assert.equal(await purgeStream(worker, 'p00', 2), 2);
  for (const journal of [supervisor, worker, cli]) assert.equal((await streamState(journal, 'p00')).firstSeq, 3);
});

test('a worker may answer a slow question, and only once', async (t) => {
  const nats = await startNats(t);
  const [gateway, worker] = [await connectAs(t, nats, 'gateway'), await connectAs(t, nats, 'worker')];
  worker.connection.subscribe(querySubject(soleNode, 'p00'), {
    callback: async (_, message) => {
      await pause(1500);
      message.respond('first');
      message.respond('second');
    },
  });
  await worker.connection.flush();
  const reply = await gateway.connection.request(querySubject(soleNode, 'p00'), '', { timeout: 10_000 });
  assert.equal(reply.string(), 'first');
  await waitUntil('the second reply is refused', () => worker.refused.size === 1);
  assert.match([...worker.refused].join(), /^publish _INBOX\.gateway\./);
});

test('the server refuses a local client without a key, with another key and with a password', async (t) => {
  const nats = await startNats(t);
  const stranger = await startNats(t);
  await nats.connect();
  const own = localJournal(nats.dataDir, nats.port, 'gateway');
  const credentials = {
    none: { natsCredentials: '' },
    token: { natsCredentials: '', natsUrl: own.natsUrl.replace('//', '//ttoken@') },
    password: { natsCredentials: '', natsUrl: own.natsUrl.replace('//', '//tidings:password@') },
    'another key': { natsCredentials: localJournal(stranger.dataDir, stranger.port, 'gateway').natsCredentials },
  };
  for (const [what, changed] of Object.entries(credentials)) {
    const fault = await connectionFault({ ...own, ...changed }, 'gateway');
    assert.match(fault?.message ?? '', /^The NATS server refuses/, what);
  }
  assert.equal(await connectionFault(own, 'gateway'), undefined);
});

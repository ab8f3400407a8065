/**
 * Tests a client of a cluster of NATS servers: with the timing of a node, a lane and a follower go on soon after a server
 * is frozen. Proxies in front of one real nats-server take the place of the servers of a cluster.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connectionFault, connectionOptions, connectJournal, type Journal } from '../../src/journal/connect.ts';
import { electedSubject } from '../../src/journal/elections.ts';
import { Follower } from '../../src/journal/follow.ts';
import { recordsSubject } from '../../src/journal/subjects.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { externalSettings, startExternal } from '../helpers/external-nats.ts';
import { quiet } from '../helpers/journal.ts';
import { type NatsProxy, startNatsProxy } from '../helpers/nats-proxy.ts';
import { openLane, smallRecord } from '../helpers/partition-stream.ts';
import { freePort } from '../helpers/ports.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const client = { role: 'cli', name: 'test' } as const;

/** Connects a node to the servers behind these ports. */
async function connectNode(t: TestContext, ports: readonly number[]): Promise<Journal> {
  const natsUrl = ports.map((port) => `nats://127.0.0.1:${port}`).join(',');
  const journal = await connectJournal(externalSettings(natsUrl, { node: 'a' }), client, quiet);
  afterwards(t, () => journal.close());
  return journal;
}

test('one machine keeps the timing of the client, and a node has one of its own', () => {
  const of = (node?: string) => {
    const { timeout, pingInterval, maxPingOut } = connectionOptions(
      externalSettings('nats://a,nats://b:4223', node === undefined ? {} : { node }),
      client,
    );
    return { timeout, pingInterval, maxPingOut };
  };
  const oneMachine = { timeout: 20_000, pingInterval: 5000, maxPingOut: 2 };
  assert.deepEqual([of(), of('')], [oneMachine, oneMachine]);
  assert.deepEqual(of('a'), { timeout: 1500, pingInterval: 1000, maxPingOut: 2 });
});

test('a client connects to any server of the list', async (t) => {
  const port = await startExternal(t, 'authorization { user: "ada", password: "pa:ss" }');
  const none = [await freePort(), await freePort()];
  const url = (ports: number[]) => ports.map((each, i) => `nats://${i === 0 ? 'ada:pa%3Ass@' : ''}127.0.0.1:${each}`);
  const fault = (ports: number[]) => connectionFault(externalSettings(url(ports).join(',')), 'supervisor');
  assert.equal(await fault([...none, port]), undefined);
  assert.match((await fault(none))?.message ?? '', /ECONNREFUSED|CONNECTION_REFUSED/);
});

test('a lane of a node goes on within its deadline when its server is frozen', async (t) => {
  const server = await startExternal(t, '');
  const proxies: NatsProxy[] = [await startNatsProxy(t, server), await startNatsProxy(t, server)];
  const journal = await connectNode(
    t,
    proxies.map(({ port }) => port),
  );
  const lane = await openLane(t, journal, { ackDeadlineMs: 9000 });
  await lane.enqueue(smallRecord('before'));
  const used = proxies.filter(({ connections }) => connections > 0);
  assert.equal(used.length, 1);
  used[0]?.freeze();
  assert.equal((await lane.enqueue(smallRecord('after'))).seq, 2);
});

test('a lane of a node sends a batch again as soon as another server leads the stream', async (t) => {
  const server = await startExternal(t, '');
  const proxy = await startNatsProxy(t, server);
  const [journal, servers] = [await connectNode(t, [proxy.port]), await connectNode(t, [server])];
  // Without the announcements, the lane would wait for a second for each of the lost attempts, and for too long.
  const attempts = 15;
  const lane = await openLane(t, journal, { ackDeadlineMs: (attempts - 1) * 1000 });
  await journal.connection.flush();
  let lost = 0;
  proxy.toServer = ({ line, bytes }) => {
    if (lost === attempts || !line.startsWith(`HPUB ${recordsSubject('p00')} `)) return bytes;
    lost += 1;
    servers.connection.publish(electedSubject('p00'));
    return undefined;
  };
  assert.equal((await lane.enqueue(smallRecord('after'))).seq, 1);
  assert.equal(lost, attempts);
});

test('a follower of a node goes on soon after its consumer has died with its server', async (t) => {
  const proxy = await startNatsProxy(t, await startExternal(t, ''));
  const consumers: string[] = [];
  let dead: string | undefined;
  const requests = /^PUB \$JS\.API\.CONSUMER\.(?:MSG\.NEXT|INFO)\.TIDINGS_P00\.(\w+)/;
  proxy.toServer = ({ line, bytes }) => {
    const consumer = requests.exec(line)?.[1];
    if (consumer === undefined) return bytes;
    consumers.push(consumer);
    return consumer === dead ? undefined : bytes;
  };
  proxy.toClient = ({ line, bytes }) => {
    if (dead === undefined) return bytes;
    const isOfDead = line.includes(`$JS.ACK.TIDINGS_P00.${dead}.`) || /^NATS\/1\.0 4/.test(bytes);
    return isOfDead ? undefined : bytes;
  };
  const journal = await connectNode(t, [proxy.port]);
  const lane = await openLane(t, journal);
  await lane.enqueue(smallRecord('first'));
  const follower = new Follower(journal, 'p00', 0, quiet);
  afterwards(t, () => follower.stop());
  const seqs: number[] = [];
  const reading = (async () => {
    for await (const batch of follower.batches()) seqs.push(...batch.map(({ seq }) => seq));
  })();
  await waitUntil('it has read', () => seqs.length === 1);
  dead = consumers[0];
  assert.ok(dead);
  await lane.enqueue(smallRecord('second'));
  // With the timing of one machine, the follower would wait for the end of a pull of 30 seconds.
  await waitUntil('it has read the rest', () => seqs.length === 2, 15_000);
  assert.deepEqual(seqs, [1, 2]);
  follower.stop();
  await reading;
});

/**
 * Receives signed webhooks with Fastify and puts each into a BullMQ queue: the service that a good team would build
 * without Tidings. This program also starts its Redis server and its worker process, and stops both when the bench ends.
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Webhooks } from '@octokit/webhooks';
import { Queue } from 'bullmq';
import Fastify from 'fastify';
import { Redis } from 'ioredis';

const bodyLimit = 25 * 1024 * 1024;
const redisStartMs = 10_000;

/**
 * The append-only file replaces the snapshots of Redis' default configuration. BullMQ asks for `noeviction`. All other
 * settings are the defaults.
 */
const redisOptions = [
  ...['--bind', '127.0.0.1', '--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''],
  ...['--maxmemory-policy', 'noeviction', '--loglevel', 'warning'],
];

/** Child processes: the Redis server and the worker. */
const children = [];
let queue;
let worker;

/**
 * Starts Redis with an append-only file, the worker and the server.
 * @param message `redis`: path of the program; `redisPort`: a free port; `folder`: an empty folder; `secret`: of the
 *   webhooks
 */
async function start({ redis, redisPort, folder, secret }) {
  const server = spawn(redis, [...redisOptions, '--port', String(redisPort), '--dir', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  children.push(server);
  const connection = { host: '127.0.0.1', port: redisPort };
  await redisIsReady(connection);
  worker = fork(fileURLToPath(new URL('./worker.mjs', import.meta.url)), [String(redisPort)]);
  children.push(worker);
  await once(worker, 'message');
  queue = new Queue('webhooks', {
    // Commands of one turn of the event loop share a write.
    connection: { ...connection, enableAutoPipelining: true },
    defaultJobOptions: {
      removeOnComplete: true,
      removeOnFail: 1000,
      attempts: 3,
      backoff: { type: 'exponential', delay: 1000 },
    },
  });
  const port = await listen(secret);
  return { port, pids: { server: process.pid, redis: server.pid, worker: worker.pid } };
}

async function listen(secret) {
  const webhooks = new Webhooks({ secret });
  const app = Fastify({ bodyLimit });
  // The signature is over the raw bytes, so the body is not parsed here.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.post('/api/webhooks/scm', async (request, reply) => {
    const signature = request.headers['x-hub-signature-256'];
    const event = request.headers['x-scm-event'];
    const delivery = request.headers['x-scm-delivery'];
    if (!event || !delivery) return reply.code(400).send();
    if (!signature || !(await webhooks.verify(request.body, signature))) return reply.code(401).send();
    await queue.add(event, { delivery, payload: request.body }, { jobId: delivery });
    return reply.code(202).send();
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app.server.address().port;
}

async function redisIsReady(connection) {
  const client = new Redis({ ...connection, lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => {});
  const deadline = performance.now() + redisStartMs;
  for (;;) {
    try {
      await client.connect();
      await client.ping();
      client.disconnect();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(50);
    }
  }
}

/** Returns the number of jobs that are not finished, and the number that the worker has stored. */
async function progress() {
  const { waiting, active, delayed, failed } = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
  const stored = once(worker, 'message');
  worker.send('count');
  const [{ count }] = await stored;
  return { unfinished: waiting + active + delayed, failed, stored: count };
}

async function stop() {
  for (const child of children.reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
}

process.on('disconnect', () => void stop().finally(() => process.exit(0)));
process.on('SIGINT', () => {});
process.on('message', (message) => {
  const answer = message.type === 'start' ? start(message) : progress();
  answer.then(
    (result) => process.send(result),
    (error) => {
      process.stderr.write(`${error.stack}\n`);
      void stop().finally(() => process.exit(1));
    },
  );
});

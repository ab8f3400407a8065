/**
 * Takes webhooks from the queue, parses them, and stores the pull request's fields in Redis. `server.mjs` starts this
 * program with the port of Redis.
 */
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';

/** Number of jobs in work at a time. The jobs wait for Redis, so many of them share one processor. */
const concurrency = 50;
const connection = { host: '127.0.0.1', port: Number(process.argv[2]), maxRetriesPerRequest: null };
const store = new Redis({ ...connection, enableAutoPipelining: true });

let count = 0;

/** Stores the fields of a pull request that release notes need, as a hash with the number as key. */
async function storePull({ data }) {
  const { repository, pull_request: pull } = JSON.parse(data.payload);
  await store.hset(`pull:${repository.id}:${pull.number}`, {
    title: pull.title,
    body: pull.body ?? '',
    state: pull.merged ? 'merged' : pull.state,
    labels: JSON.stringify(pull.labels.map(({ name }) => name)),
    author: pull.user?.login ?? '',
    mergedAt: pull.merged_at ?? '',
    mergeSha: pull.merge_commit_sha ?? '',
    base: pull.base.ref,
    url: pull.html_url,
    updatedAt: pull.updated_at,
    delivery: data.delivery,
  });
  count += 1;
}

const worker = new Worker('webhooks', storePull, {
  connection: { ...connection, enableAutoPipelining: true },
  concurrency,
});
worker.on('error', (error) => process.stderr.write(`${error.stack}\n`));
await worker.waitUntilReady();

process.on('message', () => process.send({ count }));
process.on('SIGINT', () => {});
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
process.send({ count });

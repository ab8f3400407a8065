/**
 * Measures the processor time of the fold per journal record, without a journal and without a network. It folds made-up
 * batches into a new partition in a temporary folder. Usage: `npm run bench:fold -- [kind…] [--records N] [--size N]
 * [--messages N] [--rounds N]`. Kinds: new, repeat, push, issue, comment, mix.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ulid } from '../src/foundation/ids.ts';
import { toEvents } from '../src/intake/events.ts';
import { Batch } from '../src/journal/batch.ts';
import { packRecord } from '../src/journal/codec.ts';
import type { EventBody } from '../src/protocol/events.ts';
import type { EventRecord } from '../src/protocol/journal.ts';
import type { EventRepository } from '../src/protocol/repository.ts';
import { openPartition } from '../src/store/partition.ts';
import { foldBatch, PackedMessage } from '../workers/partition/batch.ts';
import { repositoryCount } from './deliveries.ts';
import { pullRequestEnd, pullRequestStart } from './payload.ts';

/** Host time of the first record. */
const epoch = Date.UTC(2026, 0, 1);

/** Makes the body of the nth record of a kind. */
type Maker = (nth: number, pull: EventBody & { event: 'pull_request' }) => EventBody;

const pullRequest: Maker = (nth, { action, pull }) => {
  const at = epoch + nth * 1000;
  const mergeSha = shaOf('c', nth);
  return {
    event: 'pull_request',
    action,
    pull: { ...pull, number: nth + 1, updatedAt: at, closedAt: at, mergedAt: at, mergeSha },
  };
};

const push: Maker = (nth) => {
  const shas = Array.from({ length: 4 }, (_, i) => shaOf('d', nth * 4 + i + 1));
  return {
    event: 'push',
    push: {
      branch: 'main',
      before: shaOf('d', nth * 4),
      after: shas[3] as string,
      baseRef: null,
      commits: shas.map((sha, i) => ({
        sha,
        message: `Keep connections open between uploads (#${nth * 4 + i})\n\nA folder of small files waited for handshakes most of the time.`,
        at: epoch + nth * 1000,
        author: 'ada',
        coAuthors: [],
      })),
      forced: false,
      gap: false,
      deleted: false,
      pushedAt: epoch + nth * 1000,
    },
  };
};

const issue: Maker = (nth, { pull }) => ({
  event: 'issues',
  action: 'closed',
  issue: {
    number: nth + 1,
    title: pull.title,
    body: pull.body,
    state: 'closed',
    stateReason: 'completed',
    labels: ['bug'],
    author: pull.author,
    createdAt: epoch,
    updatedAt: epoch + nth * 1000,
    closedAt: epoch + nth * 1000,
    url: pull.url,
  },
});

const comment: Maker = (nth, { pull }) => ({
  event: 'comment',
  action: 'created',
  comment: {
    kind: 'discussion',
    id: String(nth),
    number: Math.floor(nth / 4) + 1,
    author: pull.author,
    body: pull.body.slice(0, 300),
    state: null,
    createdAt: epoch,
    updatedAt: epoch + nth * 1000,
  },
});

const makers: Record<string, Maker> = {
  new: pullRequest,
  repeat: (nth, pull) => pullRequest(nth % 64, pull),
  push,
  issue,
  comment,
  mix: (nth, pull) => ([pullRequest, push, issue, comment][nth % 4] as Maker)(nth, pull),
};

function shaOf(letter: string, nth: number): string {
  // Hashes begin with different digits, so that their rows are spread over the whole table.
  return `${Math.imul(nth + 1, 0x9e3779b1) >>> 0}`.padStart(10, '0').padEnd(30, letter) + String(nth).padStart(10, '0');
}

interface Options {
  records: number;
  size: number;
  messages: number;
}

/** Makes the journal messages of a kind. Each message contains `size` records. */
function messagesOf(make: Maker, { records, size }: Options): Uint8Array[] {
  const sources = Array.from({ length: repositoryCount }, (_, nth) => {
    const end = pullRequestEnd({ number: '1', sha: shaOf('c', 0), mergedAt: new Date(epoch).toISOString() });
    const events = toEvents('pull_request', JSON.parse(pullRequestStart(nth) + end), 'https://github.com', epoch);
    return events as { repository: EventRepository; bodies: [EventBody & { event: 'pull_request' }] };
  });
  const recordOf = (nth: number): EventRecord => {
    const { repository, bodies } = sources[nth % repositoryCount] as (typeof sources)[number];
    const body = make(Math.floor(nth / repositoryCount), bodies[0]);
    const at = epoch + nth;
    const delivery = `${(Math.imul(nth + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')}-0000-4000-8000-${nth}`;
    return { id: ulid(at), at, kind: 'event', delivery, source: '', part: 0, signedBy: null, repository, body };
  };
  return Array.from({ length: Math.ceil(records / size) }, (_, i) => {
    const batch = new Batch();
    for (let nth = i * size; nth < Math.min(records, (i + 1) * size); nth++) batch.add(packRecord(recordOf(nth)));
    return batch.message();
  });
}

/** Folds messages into a new partition. Returns the processor time and the elapsed time per record in microseconds. */
async function measure(messages: readonly Uint8Array[], options: Options): Promise<[cpu: number, elapsed: number]> {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-fold-'));
  const partition = openPartition(folder, 'p00');
  const [started, before] = [performance.now(), process.cpuUsage()];
  for (let first = 0; first < messages.length; first += options.messages) {
    const slice = messages.slice(first, first + options.messages);
    const batch = slice.map((bytes, i) => new PackedMessage(first + i + 1, bytes, fail));
    // A worker that has caught up collects the changes for live events.
    await foldBatch(partition, batch, { collects: true });
  }
  await partition.root.flushed;
  const { user, system } = process.cpuUsage(before);
  const elapsed = (performance.now() - started) * 1000;
  await partition.close();
  rmSync(folder, { recursive: true, force: true });
  return [(user + system) / options.records, elapsed / options.records];
}

function fail(error: unknown): never {
  throw error;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    records: { type: 'string', default: '20000' },
    size: { type: 'string', default: '16' },
    messages: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '3' },
  },
});
const options = { records: Number(values.records), size: Number(values.size), messages: Number(values.messages) };
for (const kind of positionals.length > 0 ? positionals : Object.keys(makers)) {
  const messages = messagesOf(makers[kind] as Maker, options);
  await measure(messages, options);
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const [cpu, elapsed] = await measure(messages, options);
    process.stdout.write(`${kind.padEnd(8)} ${cpu.toFixed(1)} µs processor time, ${elapsed.toFixed(1)} µs elapsed\n`);
  }
}

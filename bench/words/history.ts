/** Loads a recorded history of webhooks into a partition, as the service captures and folds it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ulid } from '../../src/foundation/ids.ts';
import { toEvents } from '../../src/intake/events.ts';
import type { EventRecord } from '../../src/protocol/journal.ts';
import type { RangeBounds } from '../../src/protocol/stored.ts';
import { openPartition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { foldMessage } from '../../workers/fold/fold.ts';
import { type Delivery, inVariant, type Variant } from './variants.ts';

const partitionName = 'p00';
export const suffix = '.deliveries.jsonl.gz';

/** A loaded history, and its ranges between two tags. */
export interface History {
  name: string;
  view: RepositoryView;
  ranges: RangeBounds[];
  close: () => Promise<void>;
}

/**
 * Loads `NAME.deliveries.jsonl.gz`, one delivery per line. The ranges are those between tags in `NAME.oracle.json`,
 * which is next to it.
 * @throws when a file cannot be read, or when the deliveries do not belong to one repository
 */
export async function loadHistory(file: string, variant: Variant): Promise<History> {
  const ranges = rangesOf(file);
  const records = [...recordsOf(file, variant)];
  const [id, another] = new Set(records.map(({ repository }) => repository.id));
  if (another !== undefined) throw new Error(`${file} has deliveries of several repositories`);
  const folder = mkdtempSync(join(tmpdir(), 'tidings-words-'));
  const partition = openPartition(folder, partitionName);
  const close = async (): Promise<void> => {
    await partition.close();
    rmSync(folder, { recursive: true, force: true });
  };
  await partition.write(() => {
    for (const [index, record] of records.entries()) foldMessage(partition, index + 1, [record]);
  });
  const view = RepositoryView.of(partition, id ?? '');
  if (view) return { name: nameOf(file), view, ranges, close };
  await close();
  throw new Error(`${file} holds no captured event`);
}

function* recordsOf(file: string, variant: Variant): Generator<EventRecord> {
  const now = Date.now();
  for (const line of gunzipSync(readFileSync(file)).toString().split('\n')) {
    if (line === '') continue;
    const delivery = inVariant(JSON.parse(line) as Delivery, variant);
    const events = delivery && toEvents(delivery.event, delivery.body, originOf(delivery), now);
    if (!delivery || !events) continue;
    for (const [part, body] of events.bodies.entries()) {
      const base = { id: ulid(), at: now, kind: 'event', delivery: delivery.delivery, source: '' } as const;
      yield { ...base, part, repository: events.repository, body };
    }
  }
}

function originOf({ body }: Delivery): string {
  const repository = body.repository as { html_url?: string } | undefined;
  return new URL(repository?.html_url ?? 'https://scm.example').origin;
}

function rangesOf(file: string): RangeBounds[] {
  const oracle = JSON.parse(readFileSync(file.replace(suffix, '.oracle.json'), 'utf8')) as { entries: RangeBounds[] };
  return oracle.entries
    .filter(({ type }) => type === 'TAG_BASED')
    .map(({ type, fromTag = '', toTag = '' }) => ({ type, fromTag, toTag }));
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(suffix, '');
}

/**
 * Compares all data of one organization before and after requests of another organization. The data has two parts: the
 * stored rows, and everything that the key of the first organization can read. Rows are compared byte by byte.
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { directoryName } from '../../../src/foundation/partition-names.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { Readers } from '../../../src/store/readers.ts';
import { foldedTables } from '../../../src/store/table-registry.ts';
import { operations } from '../contract.ts';
import type { Stage } from './stage.ts';
import { prefixOf } from './values.ts';
import { idsIn, type Org } from './world.ts';

/** Rows or objects by name. Each value is a digest of the bytes, or the bytes themselves. */
export type Things = ReadonlyMap<string, string>;

/** A row or object that was created, changed or deleted. */
export interface Difference {
  thing: string;
  how: 'created' | 'changed' | 'deleted';
  /** All ids that the name or the content of the thing contains. */
  ids: string[];
}

/** Tables that change with time only, without any request. */
const movesByItself: ReadonlySet<string> = new Set(['meta', 'retention']);
/**
 * Matches ids of objects that are stored in the partitions of repositories. In this test, each of these partitions
 * belongs to one organization. All matching ids in its rows belong to the same organization. Ids of keys are left out,
 * because an instance key can be the author of a change and belongs to no organization.
 */
const ofPartitions = /^(repo|range|draft|pub|bf|evt|dlv)_/;
const restMs = 1_500;
const maxRests = 60;
/** Number of rounds without a change that are enough while effects wait in the outbox. */
const maxStill = 6;
/** Maximum number of objects per kind that are read one by one. */
const maxPerKind = 40;

/** Returns the rows or objects that differ, sorted by name. */
export function differences(before: Things, after: Things): Difference[] {
  const found: Difference[] = [];
  const note = (thing: string, how: Difference['how'], bytes: string) =>
    found.push({ thing, how, ids: [...new Set(idsIn(`${thing} ${bytes}`))] });
  for (const [thing, bytes] of before) {
    const now = after.get(thing);
    if (now === undefined) note(thing, 'deleted', bytes);
    else if (now !== bytes) note(thing, 'changed', `${bytes} ${now}`);
  }
  for (const [thing, bytes] of after) if (!before.has(thing)) note(thing, 'created', bytes);
  return found.sort((a, b) => (a.thing < b.thing ? -1 : 1));
}

/** Reads the rows of an organization from the store of a running service. */
export class Rows {
  private readonly stage: Stage;
  private readonly readers: Readers;

  constructor(stage: Stage) {
    this.stage = stage;
    this.readers = new Readers(stage.service.dataDir);
  }

  /**
   * Returns all rows of an organization. In the partition of the organization's repository, all rows belong to the
   * organization. In the directory partition, only rows with an id of the organization or of its objects belong to the
   * organization.
   */
  async of(org: Org): Promise<Things> {
    const { world, partitionOf } = this.stage;
    const rows = new Map<string, string>();
    await eachRow(await this.partition(partitionOf[org]), (row, bytes) => {
      rows.set(`${partitionOf[org]} ${row}`, `${idsIn(bytes).join(' ')} ${digest(bytes)}`);
      for (const id of idsIn(`${row} ${bytes}`)) if (ofPartitions.test(id)) world.own(id, org);
    });
    await eachRow(await this.partition(directoryName), (row, bytes) => {
      if (!idsIn(`${row} ${bytes}`).some((id) => world.ownerOf(id) === org)) return;
      rows.set(`directory ${row}`, `${idsIn(bytes).join(' ')} ${digest(bytes)}`);
    });
    // While a read transaction is open, the store cannot reuse freed pages. Therefore the read transactions are released
    // as soon as all rows have been read.
    for (const name of [partitionOf[org], directoryName]) this.readers.release(name);
    return rows;
  }

  /**
   * Waits until the rows of an organization no longer change. By then, the deliveries, publications and counters of
   * earlier requests are finished. On a busy machine an effect can take longer than one round, so rows that wait for an
   * effect must stay the same for several rounds.
   * @throws Error with the rows that still change after `maxRests` rounds
   */
  async atRest(org: Org): Promise<Things> {
    let before = await this.of(org);
    let moved: Difference[] = [];
    let still = 0;
    for (let round = 0; round < maxRests; round++) {
      await pause(restMs);
      const after = await this.of(org);
      moved = differences(before, after);
      still = moved.length === 0 ? still + 1 : 0;
      const isWaiting = [...after.keys()].some((name) => / outbox /.test(name));
      if (still >= (isWaiting ? maxStill : 1)) return after;
      before = after;
    }
    throw new Error(`${org} does not come to rest: ${JSON.stringify(moved.slice(0, 5))}`);
  }

  close(): Promise<void> {
    return this.readers.close();
  }

  private async partition(name: string): Promise<Partition> {
    await this.readers.follow(name);
    const partition = this.readers.fresh(name);
    if (!partition) throw new Error(`the partition ${name} cannot be read`);
    return partition;
  }
}

async function eachRow(partition: Partition, visit: (row: string, bytes: string) => void): Promise<void> {
  for (const name of foldedTables) {
    if (movesByItself.has(name)) continue;
    const table = partition.tables[name];
    for (const key of table.getKeys({})) {
      const bytes = table.getBinary(key);
      if (bytes) visit(`${name} ${JSON.stringify(key)}`, bytes.toString('latin1'));
    }
  }
}

function digest(text: string): string {
  return createHash('sha1').update(text, 'latin1').digest('base64url');
}

/**
 * Returns everything that an organization's own key can read: every list of the API, and each object in the lists. The
 * paths come from the OpenAPI document. Call counts and times of last use are omitted, because reading changes them.
 */
export async function viewOf({ service, world }: Stage, org: Org): Promise<Things> {
  const key = world.callers.find(({ org: of, kind }) => of === org && kind === 'main')?.key as string;
  const view = new Map<string, string>();
  for (const { path, definition, method } of operations) {
    if (method !== 'GET' || ['/api/openapi.json', '/api/stats', '/api/session'].includes(path)) continue;
    const needed = definition.parameters.filter((each: { required?: boolean }) => each.required);
    const prefix = needed.length === 1 && prefixOf(needed[0].name, needed[0].example);
    const ids = needed.length === 0 ? [''] : prefix ? world.living(org, prefix).slice(-maxPerKind) : [];
    const lists = definition.parameters.some(({ name }: { name?: string }) => name === 'limit');
    for (const id of ids) {
      const url = `${path.replace(/\{\w+\}/, id)}?${lists ? 'limit=100' : ''}`;
      const { status, body } = await service.api('GET', url, undefined, key);
      note(view, url, { status, body });
    }
  }
  return view;
}

/**
 * Adds a JSON value to a view. The items of a list become separate entries of the view, so that each difference shows
 * which item has changed.
 */
function note(view: Map<string, string>, name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const rest: Record<string, unknown> = {};
  for (const [field, each] of Object.entries(value)) {
    if (field === 'lastUsedAt') continue;
    const id = (item: unknown) => (item as { id?: unknown } | null)?.id;
    if (Array.isArray(each) && each.some((item) => typeof id(item) === 'string')) {
      for (const item of each) note(view, `${name} ${id(item)}`, item);
    } else if (field === 'body') note(view, name, each);
    else rest[field] = each;
  }
  view.set(name, `${view.get(name) ?? ''}${JSON.stringify(rest)}`);
}

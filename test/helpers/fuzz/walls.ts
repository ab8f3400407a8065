/**
 * Compares all that an organisation has before and after requests of another one: the stored rows, byte for byte, and what its
 * own key is shown.
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { directoryName } from '../../../src/journal/subjects.ts';
import { dumpedTables, type Partition } from '../../../src/store/partition.ts';
import { Readers } from '../../../src/store/readers.ts';
import { operations } from '../contract.ts';
import type { Stage } from './stage.ts';
import { prefixOf } from './values.ts';
import { idsIn, type Org } from './world.ts';

/** Things by kind and id, each with a digest of its bytes or the bytes themselves. */
export type Things = ReadonlyMap<string, string>;

/** A thing that is not as it was. */
export interface Difference {
  thing: string;
  how: 'created' | 'changed' | 'deleted';
  /** Ids in its name and bytes. */
  ids: string[];
}

/** Tables that change with the clock alone. */
const movesByItself: ReadonlySet<string> = new Set(['meta', 'retention']);
/** Ids of what lies in a partition; keys of the instance stand in its rows too, as those who wrote them. */
const ofPartitions = /^(repo|range|draft|pub|bf|evt|dlv)_/;
const restMs = 1_500;
const mostRests = 60;
/** How many objects of a kind are looked at one by one. */
const mostOfAKind = 40;

/** Things that differ, in the order of their names. */
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

/** Reads the rows of organisations from the store of a running service. */
export class Rows {
  private readonly stage: Stage;
  private readonly readers: Readers;

  constructor(stage: Stage) {
    this.stage = stage;
    this.readers = new Readers(stage.service.dataDir);
  }

  /**
   * All rows of an organisation: the whole partition of its repository, and each row of the directory that names it or
   * something of its own.
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
    // What is read here would keep its pages from being used again until the next comparison.
    for (const name of [partitionOf[org], directoryName]) this.readers.release(name);
    return rows;
  }

  /**
   * Waits until nothing changes any more: deliveries, publications and counters that earlier requests caused have ended.
   * @throws Error when that takes too long, with what still changes
   */
  async atRest(org: Org): Promise<Things> {
    let before = await this.of(org);
    let moved: Difference[] = [];
    for (let round = 0; round < mostRests; round++) {
      await pause(restMs);
      const after = await this.of(org);
      moved = differences(before, after);
      if (moved.length === 0) return after;
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
  for (const name of dumpedTables) {
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
 * What an organisation's own key is shown, from the document alone: every list, and each object that a list names.
 * Times of use and counts of calls are left out, as looking changes them.
 */
export async function viewOf({ service, world }: Stage, org: Org): Promise<Things> {
  const key = world.callers.find(({ org: of, kind }) => of === org && kind === 'main')?.key as string;
  const view = new Map<string, string>();
  for (const { path, definition, method } of operations) {
    if (method !== 'GET' || path === '/api/openapi.json' || path === '/api/stats') continue;
    const needed = definition.parameters.filter((each: { required?: boolean }) => each.required);
    const prefix = needed.length === 1 && prefixOf(needed[0].name, needed[0].example);
    const ids = needed.length === 0 ? [''] : prefix ? world.living(org, prefix).slice(-mostOfAKind) : [];
    const lists = definition.parameters.some(({ name }: { name?: string }) => name === 'limit');
    for (const id of ids) {
      const url = `${path.replace(/\{\w+\}/, id)}?${lists ? 'limit=100' : ''}`;
      const { status, body } = await service.api('GET', url, undefined, key);
      note(view, url, { status, body });
    }
  }
  return view;
}

/** Items of a list are things of their own. */
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

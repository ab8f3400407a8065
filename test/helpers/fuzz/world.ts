/**
 * What the fuzz knows of the service: callers and their keys, the objects of both organisations, and texts that only one of
 * them may see. Objects that requests make join it.
 */
import { pick, type Random } from '../random.ts';

export const orgs = ['acme', 'umbrella'] as const;
export type Org = (typeof orgs)[number];

/** Whose key a request carries. */
export interface Caller {
  name: string;
  /** Null for keys of the instance, and for texts that are not valid keys. */
  org: Org | null;
  /** Undefined for a request without a key. */
  key: string | undefined;
  kind: 'main' | 'instance' | 'made' | 'reader' | 'test' | 'useless';
}

/** Ids of one organisation by their prefix; the newest last. */
interface Holding {
  living: Map<string, string[]>;
  gone: Map<string, string[]>;
}

/** How many ids of a kind an organisation's requests choose from. */
const mostLiving = 80;
const mostGone = 20;
const idPattern = /\b(?:range|draft|repo|org|pub|key|secret|bf|ep|evt|dlv)_[0-9a-z]{28}\b/g;

/** All ids in a text. */
export function idsIn(text: string): string[] {
  return text.match(idPattern) ?? [];
}

export class World {
  readonly callers: Caller[] = [];
  /** Values that exist, by field; those of organisations are in `knownOf`. */
  readonly known: Readonly<Record<string, readonly unknown[]>>;
  readonly knownOf: Record<Org, Readonly<Record<string, readonly unknown[]>>>;
  /** Texts that only an organisation's own keys may be shown, besides its ids. */
  readonly markers: Record<Org, Set<string>> = { acme: new Set(), umbrella: new Set() };
  /** Endpoint of each delivery. */
  readonly homes = new Map<string, string>();
  /** Newest validator by path. */
  readonly etags = new Map<string, string>();
  private readonly owners = new Map<string, Org>();
  private readonly holdings: Record<Org, Holding> = { acme: newHolding(), umbrella: newHolding() };
  /** Objects that a run needs to the end: their own organisation's requests never name them. */
  private readonly kept = new Set<string>();

  constructor(known: World['known'], knownOf: World['knownOf']) {
    this.known = known;
    this.knownOf = knownOf;
  }

  /** The organisation that an id belongs to; undefined when it is not known. */
  ownerOf(id: string): Org | undefined {
    return this.owners.get(id);
  }

  /** Records the owner of an id; requests do not choose it. */
  own(id: string, org: Org): void {
    if (!this.owners.has(id)) this.owners.set(id, org);
  }

  /** Records an object; requests choose it from now on. */
  add(id: string, org: Org): void {
    this.own(id, org);
    if (this.ownerOf(id) !== org) return;
    const { living, gone } = this.holdings[org];
    if (listOf(gone, id).includes(id)) return;
    const ids = listOf(living, id);
    if (ids.includes(id)) return;
    ids.push(id);
    if (ids.length > mostLiving) ids.splice(Math.floor(mostLiving / 4), 1);
  }

  /** Records an object that a run needs to its end: only the other organisation's requests name it. */
  keep(id: string, org: Org): void {
    this.kept.add(id);
    this.add(id, org);
  }

  /** Records that an object was deleted. */
  remove(id: string): void {
    const owner = this.ownerOf(id);
    if (owner === undefined) return;
    const { living, gone } = this.holdings[owner];
    const ids = listOf(living, id);
    if (ids.includes(id)) ids.splice(ids.indexOf(id), 1);
    const deleted = listOf(gone, id);
    deleted.push(id);
    if (deleted.length > mostGone) deleted.shift();
  }

  /** Objects of an organisation that exist, as far as requests choose from them. */
  living(org: Org, prefix: string): readonly string[] {
    return this.holdings[org].living.get(prefix) ?? [];
  }

  /**
   * An id of a kind for a request of an organisation: mostly its own, at times another's, a deleted one, or another kind's.
   * @param mayNameKept false for keys of the instance, which have power over the other organisation too
   */
  idFor(random: Random, org: Org, prefix: string, mayNameKept: boolean): string {
    const own = this.living(org, prefix).filter((id) => !this.kept.has(id));
    const foreign = this.living(otherThan(org), prefix).filter((id) => mayNameKept || !this.kept.has(id));
    const gone = this.holdings[org].gone.get(prefix) ?? [];
    const chance = random(100);
    if (chance < 12 && foreign.length > 0) return pick(random, foreign);
    if (chance < 15 && gone.length > 0) return pick(random, gone);
    if (chance < 17) return this.ofAnyKind(random, org);
    if (chance < 19) return `${prefix}_test_${pick(random, ['rocket', 'notfound', 'ratelimited', 'servererror'])}`;
    // What was made last is seldom used up.
    if (own.length > 0) return pick(random, random(2) === 0 ? own.slice(-8) : own);
    return foreign.length > 0 && chance < 60 ? pick(random, foreign) : `${prefix}_${'0'.repeat(28)}`;
  }

  /** Records the objects in a reply to a live key, with their owners. */
  learn(body: unknown, asker: Org | null): void {
    if (typeof body !== 'object' || body === null) return;
    if (Array.isArray(body)) {
      for (const each of body) this.learn(each, asker);
      return;
    }
    const fields = body as Record<string, unknown>;
    const { id, endpointId } = fields;
    const owner = asker ?? this.ownerByFields(fields);
    if (typeof id === 'string' && idsIn(id).length === 1 && owner !== undefined) {
      this.add(id, owner);
      if (typeof endpointId === 'string') this.homes.set(id, endpointId);
    }
    for (const value of Object.values(fields)) this.learn(value, asker);
  }

  private ownerByFields(fields: Record<string, unknown>): Org | undefined {
    for (const [name, value] of Object.entries(fields)) {
      const owner = name.endsWith('Id') && typeof value === 'string' ? this.ownerOf(value) : undefined;
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  private ofAnyKind(random: Random, org: Org): string {
    const ids = pick(random, [...this.holdings[org].living.values()]).filter((id) => !this.kept.has(id));
    return ids.length === 0 ? 'x' : pick(random, ids);
  }
}

export function otherThan(org: Org): Org {
  return org === 'acme' ? 'umbrella' : 'acme';
}

function newHolding(): Holding {
  return { living: new Map(), gone: new Map() };
}

function listOf(ids: Map<string, string[]>, id: string): string[] {
  const prefix = id.split('_')[0] as string;
  const list = ids.get(prefix) ?? [];
  ids.set(prefix, list);
  return list;
}

/**
 * Stores what the fuzz knows about the service: callers and their keys, objects of both organizations, and texts that
 * only one organization may see. Objects that requests create are added during the run.
 */
import { pick, type Random } from '../random.ts';

export const orgs = ['acme', 'umbrella'] as const;
export type Org = (typeof orgs)[number];

/** The sender of a request, with the key that the request uses. */
export interface Caller {
  name: string;
  /** The organization of the key; null for instance keys and for callers without a valid key. */
  org: Org | null;
  /** The key; undefined for requests without a key. */
  key: string | undefined;
  kind: 'main' | 'instance' | 'made' | 'reader' | 'test' | 'useless';
}

/**
 * The ids of one organization's objects. `living` contains the existing objects, and `gone` contains the deleted
 * objects. Both maps are keyed by id prefix. Each list ends with the newest id.
 */
interface Holding {
  living: Map<string, string[]>;
  gone: Map<string, string[]>;
}

/** Maximum number of existing ids per organization and kind. Requests choose from these ids. */
const maxLiving = 80;
const maxGone = 20;
const idPattern = /\b(?:range|draft|repo|org|pub|key|secret|bf|ep|evt|dlv)_[0-9a-z]{28}\b/g;

/** Returns all ids in a text. */
export function idsIn(text: string): string[] {
  return text.match(idPattern) ?? [];
}

export class World {
  readonly callers: Caller[] = [];
  /** Existing values by field name. `knownOf` contains the values that differ between the organizations. */
  readonly known: Readonly<Record<string, readonly unknown[]>>;
  readonly knownOf: Record<Org, Readonly<Record<string, readonly unknown[]>>>;
  /** Texts that only keys of the organization itself may see. Ids are not included. */
  readonly markers: Record<Org, Set<string>> = { acme: new Set(), umbrella: new Set() };
  /** The endpoint id of each webhook delivery, by delivery id. */
  readonly homes = new Map<string, string>();
  /** The last received ETag by path. */
  readonly etags = new Map<string, string>();
  private readonly owners = new Map<string, Org>();
  private readonly holdings: Record<Org, Holding> = { acme: newHolding(), umbrella: newHolding() };
  /**
   * Objects that must exist until the run ends. The organization that owns such an object never names it in a request.
   */
  private readonly kept = new Set<string>();

  constructor(known: World['known'], knownOf: World['knownOf']) {
    this.known = known;
    this.knownOf = knownOf;
  }

  /** Returns the organization that owns an id; undefined for an unknown id. */
  ownerOf(id: string): Org | undefined {
    return this.owners.get(id);
  }

  /** Stores the owner of an id, without making the id available to generated requests. */
  own(id: string, org: Org): void {
    if (!this.owners.has(id)) this.owners.set(id, org);
  }

  /** Adds an existing object and its owner. Generated requests may use its id from now on. */
  add(id: string, org: Org): void {
    this.own(id, org);
    if (this.ownerOf(id) !== org) return;
    const { living, gone } = this.holdings[org];
    if (listOf(gone, id).includes(id)) return;
    const ids = listOf(living, id);
    if (ids.includes(id)) return;
    ids.push(id);
    if (ids.length > maxLiving) ids.splice(Math.floor(maxLiving / 4), 1);
  }

  /**
   * Adds an object that must exist until the run ends. Only requests of the other organization use the id of this
   * object.
   */
  keep(id: string, org: Org): void {
    this.kept.add(id);
    this.add(id, org);
  }

  /** Marks an object as deleted. */
  remove(id: string): void {
    const owner = this.ownerOf(id);
    if (owner === undefined) return;
    const { living, gone } = this.holdings[owner];
    const ids = listOf(living, id);
    if (ids.includes(id)) ids.splice(ids.indexOf(id), 1);
    const deleted = listOf(gone, id);
    deleted.push(id);
    if (deleted.length > maxGone) deleted.shift();
  }

  /** Returns the ids with the given prefix among the existing objects of an organization. */
  living(org: Org, prefix: string): readonly string[] {
    return this.holdings[org].living.get(prefix) ?? [];
  }

  /**
   * Returns an id for a request of an organization. Most ids belong to an existing object of this organization. Some
   * belong to the other organization, to a deleted object, or to an object of another kind.
   * @param mayNameKept whether the id may belong to an object that the run still needs; false for instance keys,
   *   because their requests could delete or change the object
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
    // Half of the draws use the newest objects, because earlier requests have rarely published or deleted these.
    if (own.length > 0) return pick(random, random(2) === 0 ? own.slice(-8) : own);
    return foreign.length > 0 && chance < 60 ? pick(random, foreign) : `${prefix}_${'0'.repeat(28)}`;
  }

  /**
   * Adds the objects in a reply, with their owners. Replies in test mode must not be passed, because their objects
   * do not exist.
   */
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

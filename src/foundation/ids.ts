/**
 * Ids: prefix, slot in two base32 characters, then a monotonic ULID or a hash of what the thing is
 * (`docs/architecture.md` decision 12). Any id finds its partition without an index; clients treat ids as opaque.
 */
import { createHash, randomBytes } from 'node:crypto';

/** Number of slots; fixed for ever, since ids carry them. */
export const slotCount = 1024;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idPattern =
  /^(draft|range|repo|org|pub|key|secret|bf|ep|evt|dlv|rcv)_([0-9a-hjkmnp-tv-z]{2})([0-9a-hjkmnp-tv-z]{26})$/;

export type IdPrefix =
  | 'draft'
  | 'range'
  | 'repo'
  | 'org'
  | 'pub'
  | 'key'
  | 'secret'
  | 'bf'
  | 'ep'
  | 'evt'
  | 'dlv'
  | 'rcv';

/**
 * The slot of a repository: a stable hash of the host origin and the host's number for it.
 * The hash is 32-bit FNV-1a with a final mix; changing it would orphan every stored partition.
 */
export function slotOf(origin: string, hostId: string): number {
  let hash = 0x811c9dc5;
  const text = `${origin}\n${hostId}`;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % slotCount;
}

/** The partition of a slot. */
export function partitionOf(slot: number, partitions: number): number {
  return slot % partitions;
}

/** The id of a repository, the same wherever it is computed. */
export function repositoryId(origin: string, hostId: string): string {
  return hashedId('repo', slotOf(origin, hostId), `${origin}\n${hostId}`);
}

/** Stands for a host's number where the host sent none: the name, in lower case. */
export function nameAsNumber(name: string): string {
  return `name:${name.toLowerCase()}`;
}

/** Whether a host's id of a repository or owner is a number of the host, and not a name that stands for it. */
export function isNumber(hostId: string): boolean {
  return !hostId.startsWith('name:');
}

/** The id of the draft of a range for a persona. */
export function draftId(rangeId: string, persona: string): string {
  return hashedId('draft', slotOfId(rangeId) ?? 0, `${rangeId}\n${persona}`);
}

/** An id derived from `text`: 130 bits of its SHA-256. */
export function hashedId(prefix: IdPrefix, slot: number, text: string): string {
  const bytes = createHash('sha256').update(text).digest();
  let out = '';
  for (let i = 0; i < 26; i++) out += alphabet.charAt((bytes[i] ?? 0) & 31);
  return `${prefix}_${encodeSlot(slot)}${out}`;
}

/** A new id whose order is the order of making, in this process. */
export function newId(prefix: IdPrefix, slot: number, now = Date.now()): string {
  return `${prefix}_${encodeSlot(slot)}${ulid(now)}`;
}

/** The slot inside an id with this prefix; undefined when it is not such an id. */
export function slotOfId(id: string, prefix?: IdPrefix): number | undefined {
  const match = idPattern.exec(id);
  if (!match || (prefix !== undefined && match[1] !== prefix)) return undefined;
  const slot = match[2] as string;
  return alphabet.indexOf(slot.charAt(0)) * 32 + alphabet.indexOf(slot.charAt(1));
}

function encodeSlot(slot: number): string {
  return alphabet.charAt(slot >>> 5) + alphabet.charAt(slot & 31);
}

let lastTime = 0;
let lastRandom: Uint8Array = new Uint8Array(16);

/**
 * A ULID in lower case: 48 bits of time, 80 random bits, monotonic within the process: a second one in the same
 * millisecond, or after the clock went back, is the last one plus one.
 */
export function ulid(now = Date.now()): string {
  if (now > lastTime) {
    lastTime = now;
    lastRandom = randomBytes(16).map((byte) => byte & 31);
  } else {
    let i = 15;
    while (i >= 0 && lastRandom[i] === 31) lastRandom[i--] = 0;
    if (i < 0) lastTime += 1;
    else lastRandom[i] = (lastRandom[i] as number) + 1;
  }
  return encodeTime(lastTime) + encodeRandom(lastRandom);
}

/** Milliseconds at which a ULID (or a record id) was made. */
export function timeOfUlid(text: string): number {
  let time = 0;
  for (let i = 0; i < 10; i++) time = time * 32 + alphabet.indexOf(text.charAt(i));
  return time;
}

function encodeTime(time: number): string {
  let out = '';
  let rest = time;
  for (let i = 0; i < 10; i++) {
    out = alphabet.charAt(rest % 32) + out;
    rest = Math.floor(rest / 32);
  }
  return out;
}

function encodeRandom(random: Uint8Array): string {
  let out = '';
  for (const value of random) out += alphabet.charAt(value);
  return out;
}

/** The smallest id (ULID) that can be made at `time`: a bound for keys that begin with one. */
export function idAt(time: number): string {
  return encodeTime(Math.max(0, time)) + '0'.repeat(16);
}

/** Where the nth part of a long push ends, counted from 1; the last one ends at the push's own head. No commit has this id. */
export function partEnd(head: string, nth: number): string {
  return `${head}/${nth}`;
}

/** Whether an id is the end of a part of a push, and no commit. */
export function isPartEnd(id: string): boolean {
  return id.includes('/');
}

/** Head of the push that a part belongs to; a head itself stays. */
export function headOfPart(id: string): string {
  return id.split('/', 1)[0] as string;
}

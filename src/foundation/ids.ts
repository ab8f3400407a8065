/**
 * Creates and reads ids (`docs/architecture.md` decision 12). An id is a prefix, a slot in two base32 characters, and
 * then a monotonic ULID or a hash of the object's identity. The slot determines the partition of the object, so no
 * index is needed. Clients treat ids as opaque.
 */
import { createHash, randomFillSync } from 'node:crypto';

/** Number of slots. It can never change, because ids contain slots. */
export const slotCount = 1024;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idPattern =
  /^(draft|range|repo|org|pub|key|secret|ses|bf|ep|evt|dlv|rcv)_([0-9a-hjkmnp-tv-z]{2})([0-9a-hjkmnp-tv-z]{26})$/;

export type IdPrefix =
  | 'draft'
  | 'range'
  | 'repo'
  | 'org'
  | 'pub'
  | 'key'
  | 'secret'
  | 'ses'
  | 'bf'
  | 'ep'
  | 'evt'
  | 'dlv'
  | 'rcv';

/**
 * Returns the slot of a repository: a stable hash of the host's origin and the number that the host gave the
 * repository. The hash is 32-bit FNV-1a with a final mix. Another hash would make every stored partition unreachable.
 */
export function slotOf(origin: string, hostId: string): number {
  let hash = 0x811c9dc5;
  const text = `${origin}\n${hostId}`;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % slotCount;
}

/** Returns the number of the partition that a slot belongs to. */
export function partitionOf(slot: number, partitions: number): number {
  return slot % partitions;
}

/** Ids of repositories that were computed before. Nearly every delivery is about one of them. */
const repositoryIds = new Map<string, string>();
/** Maximum number of ids that are remembered. At the maximum, all are removed. */
const maxRepositoryIds = 10_000;

/** Returns the id of a repository. Every process computes the same id. */
export function repositoryId(origin: string, hostId: string): string {
  const text = `${origin}\n${hostId}`;
  const known = repositoryIds.get(text);
  if (known !== undefined) return known;
  const id = hashedId('repo', slotOf(origin, hostId), text);
  if (repositoryIds.size >= maxRepositoryIds) repositoryIds.clear();
  repositoryIds.set(text, id);
  return id;
}

/**
 * Returns the id to store for an object if the host sent no number for the object: `name:` and the name in lower case.
 */
export function nameAsNumber(name: string): string {
  return `name:${name.toLowerCase()}`;
}

/** Whether the host id of a repository or owner is a number of the host, and not a text from {@link nameAsNumber}. */
export function isNumber(hostId: string): boolean {
  return !hostId.startsWith('name:');
}

/** Returns the id of a range's draft for a persona. */
export function draftId(rangeId: string, persona: string): string {
  return hashedId('draft', slotOfId(rangeId) ?? 0, `${rangeId}\n${persona}`);
}

/** Returns an id derived from `text`: it contains 130 bits of the SHA-256 of the text. */
export function hashedId(prefix: IdPrefix, slot: number, text: string): string {
  return `${prefix}_${encodeSlot(slot)}${hashed(text, 26)}`;
}

/** Returns `length` characters of the SHA-256 of a text, with five bits each. */
function hashed(text: string, length: number): string {
  const bytes = createHash('sha256').update(text).digest();
  let out = '';
  for (let i = 0; i < length; i++) out += alphabet.charAt((bytes[i] ?? 0) & 31);
  return out;
}

/**
 * Returns a new id. The ids that this process creates with the same prefix and slot sort in the order of their
 * creation.
 */
export function newId(prefix: IdPrefix, slot: number, now = Date.now()): string {
  return `${prefix}_${encodeSlot(slot)}${ulid(now)}`;
}

/**
 * Returns an id that is derived from a time and a text, so that each attempt to make the same object makes the same id.
 * The id sorts by its time like an id from {@link newId}.
 */
export function derivedId(prefix: IdPrefix, slot: number, time: number, text: string): string {
  return `${prefix}_${encodeSlot(slot)}${derivedUlid(time, text)}`;
}

/** Returns a ULID of the given time whose other part contains 80 bits of the SHA-256 of the text. */
export function derivedUlid(time: number, text: string): string {
  return encodeTime(time) + hashed(text, 16);
}

/** Returns the slot inside an id; undefined if the text is not an id, or does not have the given prefix. */
export function slotOfId(id: string, prefix?: IdPrefix): number | undefined {
  const match = idPattern.exec(id);
  if (!match || (prefix !== undefined && match[1] !== prefix)) return undefined;
  return slotInside(id);
}

/** Returns the slot inside an id that this service made. An id from elsewhere must be checked: see `slotOfId`. */
export function slotInside(id: string): number {
  const at = id.indexOf('_') + 1;
  return alphabet.indexOf(id.charAt(at)) * 32 + alphabet.indexOf(id.charAt(at + 1));
}

/** Returns the two characters of an id that name its slot. */
export function slotTextOf(id: string): string {
  return id.slice(id.indexOf('_') + 1, id.indexOf('_') + 3);
}

/** Returns the part of an id from {@link newId} that sorts by the time of creation. */
export function timePartOf(id: string): string {
  return id.slice(id.indexOf('_') + 3);
}

function encodeSlot(slot: number): string {
  return alphabet.charAt(slot >>> 5) + alphabet.charAt(slot & 31);
}

let lastTime = 0;
const lastRandom = new Uint8Array(16);

/**
 * Random bytes in reserve. A request for 16 random bytes costs nearly as much as a request for 4096 bytes, and a busy
 * process creates an id in nearly every millisecond.
 */
const reserve = new Uint8Array(4096);
let used = reserve.length;

/**
 * Returns a new ULID in lower case: 48 bits of time and 80 random bits. ULIDs always increase within the process. If
 * the clock has not advanced, or was set back, the new ULID is the previous ULID plus one.
 */
export function ulid(now = Date.now()): string {
  if (now > lastTime) {
    lastTime = now;
    drawRandom();
  } else {
    let i = 15;
    while (i >= 0 && lastRandom[i] === 31) lastRandom[i--] = 0;
    if (i < 0) lastTime += 1;
    else lastRandom[i] = (lastRandom[i] as number) + 1;
  }
  return encodeTime(lastTime) + encodeRandom(lastRandom);
}

/** Fills `lastRandom` with values from 0 to 31. */
function drawRandom(): void {
  if (used === reserve.length) {
    randomFillSync(reserve);
    used = 0;
  }
  for (let i = 0; i < lastRandom.length; i++) lastRandom[i] = (reserve[used + i] as number) & 31;
  used += lastRandom.length;
}

/** Returns the creation time of a ULID or a record id, in milliseconds since 1970. */
export function timeOfUlid(text: string): number {
  let time = 0;
  for (let i = 0; i < 10; i++) time = time * 32 + alphabet.indexOf(text.charAt(i));
  return time;
}

let encodedTime = 0;
let encodedTimeText = '0'.repeat(10);

function encodeTime(time: number): string {
  if (time === encodedTime) return encodedTimeText;
  let out = '';
  let rest = time;
  for (let i = 0; i < 10; i++) {
    out = alphabet.charAt(rest % 32) + out;
    rest = Math.floor(rest / 32);
  }
  encodedTime = time;
  encodedTimeText = out;
  return out;
}

function encodeRandom(random: Uint8Array): string {
  let out = '';
  for (const value of random) out += alphabet.charAt(value);
  return out;
}

/** Returns the smallest possible ULID of `time` (milliseconds), as a bound for keys that begin with a ULID. */
export function idAt(time: number): string {
  return encodeTime(Math.max(0, time)) + '0'.repeat(16);
}

/**
 * A long push is split into parts. Returns the id that marks the end of part `nth`, such as `HEAD/1` for the first
 * part. The id connects a part with the next part, and is never a commit id. The last part ends at the head of the
 * push, so the last part does not need such an id.
 */
export function partEnd(head: string, nth: number): string {
  return `${head}/${nth}`;
}

/** Whether an id names the end of a part of a push (`HEAD/1`), and not a commit. */
export function isPartEnd(id: string): boolean {
  return id.includes('/');
}

/** Returns the head of the push that a part belongs to: `HEAD/1` gives `HEAD`. A commit id is returned unchanged. */
export function headOfPart(id: string): string {
  return id.split('/', 1)[0] as string;
}

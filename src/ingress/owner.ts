/**
 * Reads the owner that a body names, before the signature of the body is checked. The owner is only used to select the
 * few secrets to try. The body is read in one pass over its bytes, and only a few small parts of it are parsed.
 */

/**
 * The owner that a body names. `url` is the web address of the repository that the body names. This address begins with
 * the host's address.
 */
export interface OwnerHint {
  id: string | undefined;
  login: string | undefined;
  url: string | undefined;
}

/** Top-level fields of a payload that name an owner, the most reliable first. */
const parts = ['repository', 'installation', 'account', 'organization'] as const;
type Part = (typeof parts)[number];
const names = parts.map((part) => Buffer.from(part));

/** Maximum size of a field that is parsed, in bytes. Hosts send about 6 KB. */
const maxPartBytes = 65_536;

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const space = 0x20;
const opens = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const closes = (byte: number): boolean => byte === 0x7d || byte === 0x5d;

/** Returns the owner that a body names; undefined when the body names no owner. */
export function hintOfOwner(body: Buffer): OwnerHint | undefined {
  const places = findParts(body);
  for (const [i, part] of parts.entries()) {
    const [start = 0, end = 0] = places[i] ?? [];
    const value = end > start ? parse(body.subarray(start, end)) : undefined;
    const hint = value && toHint(part, value);
    if (hint) return hint;
  }
  return undefined;
}

/** The start and the end of a value in the body, in bytes. */
type Place = [start: number, end: number];

/**
 * Finds the values of the fields that `parts` lists. Returns the places of these values, in the order of `parts`.
 * JSON.parse would take half a second for 25 MiB of hostile text. This function takes 25 ms, about as long as computing
 * two signatures of the same text (2 cores, Node 20). The function tracks only strings and nesting depth. If the text
 * is not JSON, the returned places can be wrong or missing. The function creates no objects, since a hostile body can
 * have a million fields.
 */
function findParts(body: Buffer): readonly Place[] {
  const places: Place[] = parts.map(() => [0, 0]);
  let depth = 0;
  let part = -1;
  let start = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number;
    if (byte === quote) {
      const end = endOfString(body, at);
      if (depth === 1) part = partNamed(body, at + 1, end);
      at = end;
    } else if (opens(byte)) {
      depth += 1;
      if (depth === 2) start = at;
    } else if (closes(byte)) {
      depth -= 1;
      // If several fields have the same name, the last field counts, as with JSON.parse.
      if (depth === 1 && part >= 0 && at - start < maxPartBytes) keep(places[part] as Place, start, at + 1);
      if (depth === 1) part = -1;
    }
  }
  return places;
}

function keep(place: Place, start: number, end: number): void {
  place[0] = start;
  place[1] = end;
}

/** Returns the end of the string that begins at `at`: the index of its closing quote, or the end of the body. */
function endOfString(body: Buffer, at: number): number {
  let end = at + 1;
  while (end < body.length && body[end] !== quote) end += body[end] === backslash ? 2 : 1;
  return end;
}

/**
 * Reads the name from `start` to `end` and returns its index in `parts`. Returns -1 if the name is not in `parts`, or
 * if no colon follows it.
 */
function partNamed(body: Buffer, start: number, end: number): number {
  let after = end + 1;
  while (after < body.length && (body[after] as number) <= space) after += 1;
  if (body[after] !== colon) return -1;
  for (let i = 0; i < names.length; i++) if (isName(body, start, end, names[i] as Buffer)) return i;
  return -1;
}

function isName(body: Buffer, start: number, end: number, name: Buffer): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (body[start + i] !== name[i]) return false;
  return true;
}

function toHint(part: Part, value: Record<string, unknown>): OwnerHint | undefined {
  if (part === 'installation') return toOwner(record(value.account));
  if (part !== 'repository') return toOwner(value);
  const url = text(value.html_url);
  const owner = toOwner(record(value.owner), url);
  const name = text(value.full_name)?.split('/')[0];
  return owner ?? (name === undefined ? undefined : { id: undefined, login: name, url });
}

function toOwner(owner: Record<string, unknown> | undefined, url?: string): OwnerHint | undefined {
  const id = typeof owner?.id === 'number' ? String(owner.id) : text(owner?.id);
  const login = text(owner?.login);
  return id === undefined && login === undefined ? undefined : { id, login, url };
}

function parse(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    return record(JSON.parse(bytes.toString('utf8')));
  } catch {
    // A field that cannot be parsed as JSON is treated as missing.
    return undefined;
  }
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

/**
 * Returns the value if it is a non-empty text of at most 255 characters. The text becomes part of store keys, whose
 * length is limited.
 */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 255 ? value : undefined;
}

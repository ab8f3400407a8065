/**
 * Whom an unsigned body claims to come from: a hint that picks the few secrets worth trying, read in one pass over the bytes
 * without parsing more than a few small parts. Nothing is believed: what a payload may say is judged after its signature.
 */

/** What a body says of the owner of its repository. `url` is the repository's page, which begins with its host. */
export interface OwnerHint {
  id: string | undefined;
  login: string | undefined;
  url: string | undefined;
}

/** Top-level parts of a payload that name an owner, the most telling first. */
const parts = ['repository', 'installation', 'account', 'organization'] as const;
type Part = (typeof parts)[number];
const names = parts.map((part) => Buffer.from(part));

/** Largest part that is parsed, in bytes; hosts send some 6 KB. */
const mostPartBytes = 65_536;

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const space = 0x20;
const opens = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const closes = (byte: number): boolean => byte === 0x7d || byte === 0x5d;

/** The owner that a body names; undefined when it names none. */
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

/** Where a value begins and ends. */
type Place = [start: number, end: number];

/**
 * Where the values of the parts lie, in the order of `parts`. JSON.parse on 25 MiB of hostile text takes half a second, this
 * pass 25 ms, about as long as two signatures of it (2 cores, Node 20). It follows strings and depth only, so text that is
 * no JSON gives some place or none. Nothing is made on the way: a hostile body has a million parts.
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
      // As for JSON.parse, the last one of a name counts.
      if (depth === 1 && part >= 0 && at - start < mostPartBytes) keep(places[part] as Place, start, at + 1);
      if (depth === 1) part = -1;
    }
  }
  return places;
}

function keep(place: Place, start: number, end: number): void {
  place[0] = start;
  place[1] = end;
}

/** Where the string that begins at `at` ends: its closing quote, or the end of the body. */
function endOfString(body: Buffer, at: number): number {
  let end = at + 1;
  while (end < body.length && body[end] !== quote) end += body[end] === backslash ? 2 : 1;
  return end;
}

/** The number of the part whose name is the string from `start` to `end`, when a colon follows it; -1 for none. */
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
    // Not JSON after all: it tells nothing.
    return undefined;
  }
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** Texts go into keys of the store, whose length is bounded. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 255 ? value : undefined;
}

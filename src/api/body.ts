/**
 * Parses the body of a request. The body must be JSON in UTF-8. An object must not contain a name twice, and the
 * nesting is limited. The handler checks the fields.
 */
import { isUtf8 } from 'node:buffer';
import { invalid, ServiceError } from '../foundation/errors.ts';

/**
 * Maximum nesting of a body. No valid body has more than five levels. The limit is needed because the checks of values
 * are recursive.
 */
const maxLevels = 32;
const maxNameLength = 80;
/**
 * Maximum number of faults that a reply lists. A body can contain a million repeated field names, but a few faults are
 * enough to fix the client.
 */
const maxFaults = 20;

const [quote, backslash, openObject, closeObject, openArray, closeArray] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Returns the value of a body.
 * @throws ServiceError `unsupportedMediaType`, or `invalid` for bytes that are not JSON and for JSON that two parsers
 *   could read differently
 */
export function parseBody(contentType: string, bytes: Buffer): unknown {
  if (bytes.length === 0) throw invalid({ body: 'expected a JSON object, got nothing' });
  if (!/^application\/json\s*(;|$)/i.test(contentType)) {
    throw new ServiceError(
      'unsupportedMediaType',
      `The Content-Type must be application/json, got ${contentType || 'nothing'}.`,
    );
  }
  // Without this check, `toString` would replace each invalid byte by U+FFFD, and the changed text would be stored.
  if (!isUtf8(bytes)) throw invalid({ body: `expected UTF-8, got ${bytes.length} bytes that are not valid UTF-8` });
  const text = bytes.toString('utf8');
  const value = parsed(text, bytes.length);
  assertPlain(text);
  return value;
}

function parsed(text: string, length: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid({ body: `expected a JSON object, got ${length} bytes that are not JSON` });
  }
}

/**
 * Refuses repeated names and the name `__proto__`. Their values would be lost silently: a parser keeps only one value
 * of a repeated name, and a record cannot have a field `__proto__`.
 * @throws ServiceError `invalid`
 */
function assertPlain(json: string): void {
  const open: (Set<string> | undefined)[] = [];
  const faults = new Map<string, string>();
  let field = 'body';
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at);
    if (sign === openObject || sign === openArray) {
      if (open.push(sign === openObject ? new Set() : undefined) > maxLevels)
        throw invalid({ [field]: `expected at most ${maxLevels} levels of objects and arrays` });
    } else if (sign === closeObject || sign === closeArray) open.pop();
    else if (sign === quote) {
      const end = endOfString(json, at);
      if (isName(json, end)) {
        const name: string = JSON.parse(json.slice(at, end));
        noteName(faults, open.at(-1), name);
        if (open.length === 1) field = name.slice(0, maxNameLength);
      }
      at = end - 1;
    }
  }
  if (faults.size > 0) throw invalid(Object.fromEntries(faults), 'The body is invalid.');
}

function noteName(faults: Map<string, string>, names: Set<string> | undefined, name: string): void {
  const isRepeated = names?.has(name) ?? false;
  names?.add(name);
  if ((!isRepeated && name !== '__proto__') || faults.size === maxFaults) return;
  faults.set(
    name.slice(0, maxNameLength),
    isRepeated ? 'expected this field once, got it several times' : 'expected another name',
  );
}

/** Returns the index after the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let end = start;
  do {
    end = json.indexOf('"', end + 1);
  } while (isEscaped(json, end));
  return end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let before = at;
  while (json.charCodeAt(before - 1) === backslash) before -= 1;
  return (at - before) % 2 === 1;
}

function isName(json: string, end: number): boolean {
  let at = end;
  while (/\s/.test(json.charAt(at))) at += 1;
  return json.charAt(at) === ':';
}

/**
 * Reads the body of a request: JSON in UTF-8, each name once in its object, not nested without end. What fields it may have is
 * checked by the handler.
 */
import { isUtf8 } from 'node:buffer';
import { invalid, ServiceError } from '../foundation/errors.ts';

/** No body that is taken has more than five levels; what checks values walks them by recursion. */
const mostLevels = 32;
const longestName = 80;
/** A body can repeat a million names; whoever mends the client needs to see a few. */
const mostFaults = 20;

const [quote, backslash, openObject, closeObject, openArray, closeArray] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

/**
 * The value of a body.
 * @throws ServiceError `invalid` for what is no JSON, or JSON that two readers could take differently; `unsupportedMediaType`
 */
export function parseBody(contentType: string, bytes: Buffer): unknown {
  if (bytes.length === 0) throw invalid({ body: 'expected a JSON object, got nothing' });
  if (!/^application\/json\s*(;|$)/i.test(contentType)) {
    throw new ServiceError(
      'unsupportedMediaType',
      `The Content-Type must be application/json, got ${contentType || 'nothing'}.`,
    );
  }
  // Decoding would put a sign in place of each wrong byte, and the text would be stored so.
  if (!isUtf8(bytes)) throw invalid({ body: `expected UTF-8, got ${bytes.length} bytes that are none` });
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

/** Of a name that stands twice a parser keeps one, and `__proto__` is none that a record can have; both would go unseen. */
function assertPlain(json: string): void {
  const open: (Set<string> | undefined)[] = [];
  const faults = new Map<string, string>();
  let field = 'body';
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at);
    if (sign === openObject || sign === openArray) {
      if (open.push(sign === openObject ? new Set() : undefined) > mostLevels)
        throw invalid({ [field]: `expected at most ${mostLevels} levels of objects and arrays` });
    } else if (sign === closeObject || sign === closeArray) open.pop();
    else if (sign === quote) {
      const end = endOfString(json, at);
      if (isName(json, end)) {
        const name: string = JSON.parse(json.slice(at, end));
        noteName(faults, open.at(-1), name);
        if (open.length === 1) field = name.slice(0, longestName);
      }
      at = end - 1;
    }
  }
  if (faults.size > 0) throw invalid(Object.fromEntries(faults), 'The body is invalid.');
}

function noteName(faults: Map<string, string>, names: Set<string> | undefined, name: string): void {
  const isRepeated = names?.has(name) ?? false;
  names?.add(name);
  if ((!isRepeated && name !== '__proto__') || faults.size === mostFaults) return;
  faults.set(name.slice(0, longestName), isRepeated ? 'expected once, got it repeated' : 'expected another name');
}

/** Index behind the string that begins at `start`. */
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

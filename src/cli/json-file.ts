/**
 * Reads a JSON file that a command line names. The errors state the file, and the place of the first fault.
 */
import { readFileSync } from 'node:fs';
import { UsageError } from './usage.ts';

/** Reasons why a file cannot be read, by the code of the system error. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'the permission is missing',
};

/**
 * Reads the JSON in a file.
 * @param file path of the file; `-` = standard input
 * @throws UsageError when the file cannot be read or is not valid JSON
 */
export function readJsonFile(file: string): unknown {
  const name = file === '-' ? 'Standard input' : file;
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new UsageError(`${name} cannot be read: ${reasons[code] ?? message}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${name} is not valid JSON: ${describeFault(text)}`);
  }
}

function describeFault(text: string): string {
  const at = faultAt(text);
  const lines = text.slice(0, at).split('\n');
  const found = at === text.length ? 'unexpected end' : `unexpected ${JSON.stringify(text.slice(at, at + 12))}`;
  return `${found} at line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

const blanks = /[ \t\r\n]*/y;
const token = /[{}[\],:]|"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w)|(?:true|false|null)(?!\w)/y;
/**
 * Matches a part of a string: characters, an escape sequence, or the closing mark. A pattern for a whole string would
 * exceed the stack if the string were very long.
 */
const stringPart =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a JSON string must not contain them
  /[^"\\\u0000-\u001f]{1,4096}|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|"/y;
/** The tokens that can begin a value: a string (`S`), another simple value (`V`), an object or an array. */
const valueStarts = 'SV{[';

/**
 * Returns the offset of the first token that makes a text invalid JSON. The parser of Node.js does not report the place
 * of every fault. If the text ends too early, the result is its length.
 */
function faultAt(text: string): number {
  /** The signs that close the open objects and arrays. */
  const closing: string[] = [];
  /** The tokens that are valid at this place. */
  let allowed = valueStarts;
  let end = 0;
  for (let at = skipBlanks(text, 0); at < text.length; at = skipBlanks(text, end)) {
    token.lastIndex = at;
    const [found] = token.exec(text) ?? [];
    if (found === undefined) return at;
    end = found === '"' ? stringEnd(text, at) : token.lastIndex;
    if (end === -1) return at;
    const sign = found === '"' ? 'S' : '{}[],:'.includes(found) ? found : 'V';
    if (!allowed.includes(sign)) return at;
    const isName = sign === 'S' && !allowed.includes('V');
    if (sign === '{' || sign === '[') closing.push(sign === '{' ? '}' : ']');
    if (sign === '}' || sign === ']') closing.pop();
    if (sign === '{') allowed = 'S}';
    else if (sign === '[') allowed = `${valueStarts}]`;
    else if (sign === ':') allowed = valueStarts;
    else if (sign === ',') allowed = closing.at(-1) === '}' ? 'S' : valueStarts;
    else allowed = isName ? ':' : closing.length > 0 ? `,${closing.at(-1)}` : '';
  }
  return text.length;
}

/** Returns the offset after the string that begins at `from`; -1 if the string is not valid. */
function stringEnd(text: string, from: number): number {
  stringPart.lastIndex = from + 1;
  for (;;) {
    const [part] = stringPart.exec(text) ?? [];
    if (part === undefined) return -1;
    if (part === '"') return stringPart.lastIndex;
  }
}

function skipBlanks(text: string, from: number): number {
  blanks.lastIndex = from;
  blanks.exec(text);
  return blanks.lastIndex;
}

/**
 * Finds references to issue trackers before or after the words of a title: keys such as `SHOP-142`, and issue numbers.
 * Such references are neither an area nor a part of the sentence. The engineer and internal drafts show them next to
 * the pull request's number.
 */

/** Names that look like a key but are not a key. */
const standards = new Set(
  'AES ANSI ARM ASCII BASE BIP CP CRC CVE CWE DIN ECMA EIP EN ERC ES FIPS GHSA GPT HDR HMAC HTTP IEC IEEE IPV ISO MD OAUTH PBKDF PEP RFC RSA SHA SSL TLS UCS USB UTF UUID WCAG'.split(
    ' ',
  ),
);
const key = String.raw`[A-Z][A-Z0-9_]{1,15}-\d{1,9}|[Gg][Hh]-\d{1,9}|bpo-\d{1,9}`;
const word = '(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|issues?|bug|ticket|see|part of|related to)';
const reference = String.raw`(?:${word}:? ?)?(?:issue ?)?#\d{1,10}`;

const leadingKeys = new RegExp(
  String.raw`^(?:\[(${key})\]|\((${key})\)|(${key})(?:, ?(${key}|#\d{1,10}))?)(?:\s*[:;|–—]|\s+-(?=\s)|(?=[\s[(]))\s*(?=\S)`,
);
const leadingReferences = new RegExp(
  String.raw`^\[?${reference}(?:(?:,? and |, ?| \+ ?| )${reference}){0,9}\]?\s*(?:--|[:;–—\]]|-(?=\s))\s*(?=\S)`,
  'i',
);
const onlyKey = new RegExp(`^(?:${key})$`);
/** Matches the start of a text that begins with a key or a number. */
const hint =
  /^[[(]?(?:#\d|[A-Z][A-Z0-9_]{1,15}-\d|(?:fix|clos|resolv|ref|issue|bug|ticket|see|part|related)[a-z]*:? ?(?:of |to |issue )?#\d)/i;

/** The removed references, and the remaining text. */
export interface Taken {
  keys: string[];
  rest: string;
}

/**
 * Removes keys or numbers from the start of a text. Returns undefined if the text does not begin with a key or number.
 */
export function takeLeadingKeys(text: string): Taken | undefined {
  if (!hint.test(text)) return undefined;
  const match = leadingKeys.exec(text);
  if (match) return taken(match, text.slice(match[0].length));
  const numbers = leadingReferences.exec(text)?.[0];
  if (numbers === undefined) return undefined;
  return { keys: numbers.match(/#\d{1,10}/g) ?? [], rest: text.slice(numbers.length) };
}

/** Whether a scope or an area is the key of an issue. */
export function isKey(text: string): boolean {
  return onlyKey.test(text) && !isStandard(text);
}

function taken(match: RegExpExecArray, rest: string): Taken | undefined {
  const keys = match.slice(1).filter((found) => found !== undefined);
  return keys.some(isStandard) ? undefined : { keys, rest };
}

function isStandard(text: string): boolean {
  return standards.has(text.slice(0, text.indexOf('-')).toUpperCase());
}

/**
 * Checks whether a text is a JSON object, by the grammar of `JSON.parse`.
 *
 * The text is read in blocks of 64 bytes. The bytes of a block are sorted into classes, and each class is a mask with
 * one bit per byte (`blocks.ts`). Moving a mask of tokens by one bit gives the bytes that come after such a token, so a
 * few operations check all tokens of a block against the tokens before them. For example, `{"a":1,,2}` has a comma
 * that does not follow a value. The state carries over what precedes the block.
 *
 * Only three things are visited one by one: brackets, to distinguish objects from arrays; numbers and literals; escape
 * sequences.
 */
import { bracketLike, bytesEqual, bytesUpTo, hasSpecial, overBlanks, parity } from './blocks';
import {
  backslash,
  carriageReturn,
  colon,
  comma,
  isBlank,
  isClosing,
  isOpening,
  lastControl,
  lineFeed,
  openBrace,
  quote,
  space,
  tab,
} from './bytes';
import { depth, endOf, enter, inObject, leave, startContainers } from './containers';
import { areEscapesValid, escapedBytes, isNextEscaped, startEscapes } from './escapes';
import { input, marks } from './layout';
import { isScalar } from './scalar';

/** Whether a name of a member may contain an escape sequence. Known after a text was checked. */
export let hasEscapedNames: bool = false;

/**
 * Checks the text in `input`. The marks and containers of the text are noted on the way.
 * @returns false for a text that is not a JSON object, and for one with too many or too deeply nested containers
 */
export function check(length: u32): bool {
  const end = input + length;
  pad(end);
  if (load<u8>(afterBlanks(input, end)) !== openBrace) return false;
  startContainers();
  startEscapes();

  // The state after the block before. The masks have all bits or none; the others are 1 or 0.
  let stringMask: u64 = 0;
  let inName: u64 = 0;
  let inScalar: u64 = 0;
  let afterValue: u64 = 0;
  let afterName: u64 = 0;
  let afterOpen: u64 = 0;
  let afterComma: u64 = 0;
  let escapedNames: u64 = 0;

  for (let at = input, mark = marks; at < end; at += 64, mark += 8) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);

    // Strings. A mask of strings includes the opening quotes and not the closing ones.
    let quotes = bytesEqual(a, b, c, d, i8x16.splat(quote));
    let backslashes: u64 = 0;
    let controls: u64 = 0;
    if (hasSpecial(a, b, c, d) || isNextEscaped) {
      backslashes = bytesEqual(a, b, c, d, i8x16.splat(backslash));
      quotes &= ~escapedBytes(at, backslashes);
      controls = bytesUpTo(a, b, c, d, i8x16.splat(lastControl));
      if (controls & ~lineBlanks(a, b, c, d)) return false;
    }
    const strings = parity(quotes) ^ stringMask;
    stringMask = ((strings as i64) >> 63) as u64;
    if (controls & strings) return false;
    if (strings && !quotes) {
      // The whole block is within a string.
      if (inName) escapedNames |= backslashes;
      store<u64>(mark, 0);
      continue;
    }
    const starts = quotes & strings;
    const ends = quotes & ~strings;
    const outside = ~(strings | quotes);

    const commas = bytesEqual(a, b, c, d, i8x16.splat(comma)) & outside;
    const colons = bytesEqual(a, b, c, d, i8x16.splat(colon)) & outside;
    const brackets = bracketLike(a, b, c, d) & outside;
    const rest = outside & ~(commas | colons | brackets);
    store<u64>(mark, commas | colons | brackets);

    // Numbers and literals: what is left, without blanks. Backslashes and other wrong bytes are refused here.
    let blanks: u64 = 0;
    let scalarStarts: u64 = 0;
    if (rest) {
      blanks = bytesUpTo(a, b, c, d, i8x16.splat(space)) & rest;
      const scalars = rest & ~blanks;
      scalarStarts = scalars & ~((scalars << 1) | inScalar);
      for (let left = scalarStarts; left; left &= left - 1) {
        if (!isScalar(at + (ctz(left) as usize))) return false;
      }
    }
    const scalars = rest & ~blanks;
    inScalar = scalars >> 63;

    // Brackets. The mask of objects shows for each byte whether the innermost container is an object. A bracket itself
    // belongs to the outer container if it opens one, and to the inner container if it closes one.
    let opens: u64 = 0;
    let objects = inObject;
    for (let left = brackets; left; left &= left - 1) {
      const bit = left & (0 - left);
      const position = at + (ctz(left) as usize);
      const byte = load<u8>(position) as u32;
      if (isOpening(byte)) {
        if (!enter(byte)) return false;
        opens |= bit;
      } else {
        if (!isClosing(byte) || !leave(byte, position)) return false;
        if (depth === 0) break;
      }
      const following = 0 - (bit << 1);
      objects = (objects & ~following) | (inObject & following);
    }
    const closes = brackets & ~opens;

    // The bytes after each kind of token, with any blanks between.
    let values = ends | closes | scalars;
    let openings = opens;
    let separators = commas;
    if (blanks) {
      values = overBlanks(values, blanks, afterValue);
      openings = overBlanks(openings, blanks, afterOpen);
      separators = overBlanks(separators, blanks, afterComma);
    }
    const onValue = (values << 1) | afterValue;
    const onOpen = (openings << 1) | afterOpen;
    const onOpenOrComma = onOpen | (separators << 1) | afterComma;
    afterValue = values >> 63;
    afterOpen = openings >> 63;
    afterComma = separators >> 63;

    // A string after an opening bracket or a comma may be a name. Adding the first bit of a string to the mask of
    // strings carries to the closing quote.
    const sum = strings + ((starts & onOpenOrComma) | inName);
    inName = sum < strings ? 1 : 0;
    escapedNames |= backslashes & strings & ~sum;
    let names = ends & sum;
    if (blanks) names = overBlanks(names, blanks, afterName);
    const onName = ((names << 1) | afterName) & ~blanks;
    afterName = names >> 63;

    const faults =
      (commas & ~onValue) |
      (colons & ~onName) |
      (closes & ~(onValue | onOpen)) |
      ((starts | scalarStarts | opens) & onValue);
    const faultsOfObjects = ((scalarStarts | opens) & onOpenOrComma) | (onName & ~colons);
    const faultsOfArrays = colons;
    if (faults | (objects & faultsOfObjects) | (~objects & faultsOfArrays)) return false;

    if (brackets && depth === 0) {
      hasEscapedNames = escapedNames !== 0;
      return areEscapesValid && afterBlanks(endOf(0) + 1, end) === end;
    }
  }
  return false;
}

/** Fills the rest of the last block with spaces, and one block more. */
function pad(end: usize): void {
  const spaces = i8x16.splat(space);
  for (let i: usize = 0; i < 128; i += 16) v128.store(end + i, spaces);
}

/** Returns the mask of tabs, line feeds and carriage returns, the control characters that JSON allows. */
function lineBlanks(a: v128, b: v128, c: v128, d: v128): u64 {
  const lineFeeds = bytesEqual(a, b, c, d, i8x16.splat(lineFeed));
  return lineFeeds | bytesEqual(a, b, c, d, i8x16.splat(carriageReturn)) | bytesEqual(a, b, c, d, i8x16.splat(tab));
}

function afterBlanks(at: usize, end: usize): usize {
  while (at < end && isBlank(load<u8>(at))) at += 1;
  return at;
}

/**
 * Copies the fields of a tree from a checked text. The walk goes from mark to mark: brackets, commas and colons outside
 * of strings. It jumps over each object and array of which nothing is kept.
 */
import { backslash, closeBrace, closeBracket, comma, isBlank, isOpening, openBrace, openBracket, quote } from './bytes';
import { hasEscapedNames } from './check';
import { endOf, nextAfter } from './containers';
import { input, marks, output } from './layout';
import { dropped, fieldOf, hasFields, itemsOf, whole } from './tree';

/** The marks that are not visited yet: the rest of one word, and where the word is. */
let word: u64 = 0;
let wordAt: usize = 0;
/** Number of the next object or array, in the order of their first bytes. */
let container: u32 = 0;
/** Where the next byte is written. */
let to: usize = 0;
let failed: bool = false;

/**
 * Cuts the text in `input`, which `check` has accepted.
 * @returns length of the text in `output`; -1 if the text cannot be cut
 */
export function cut(tree: u32): i32 {
  word = load<u64>(marks);
  wordAt = marks;
  container = 1;
  to = output;
  failed = false;
  cutObject(nextMark(), tree);
  return failed ? -1 : ((to - output) as i32);
}

/** Copies the members of an object whose brace is at `open`. */
function cutObject(open: usize, node: u32): void {
  put(openBrace);
  let isFirst = true;
  let from = open + 1;
  for (;;) {
    const colon = nextMark();
    if (load<u8>(colon) === closeBrace) break;
    const start = afterBlanks(from);
    const name = nameBefore(colon);
    const kept = fieldOf(node, start + 1, name);
    if (kept === dropped && hasEscapedNames && hasBackslash(start, name)) failed = true;
    if (kept !== dropped) {
      if (!isFirst) put(comma);
      isFirst = false;
    }
    let end = nextMark();
    if (isOpening(load<u8>(end))) end = nested(start, end, kept);
    else if (kept !== dropped) copy(start, end);
    if (load<u8>(end) === closeBrace) break;
    from = end + 1;
  }
  put(closeBrace);
}

/** Copies an array whose bracket is at `open`, with all of its items. */
function cutArray(open: usize, node: u32): void {
  put(openBracket);
  let from = open + 1;
  for (;;) {
    let end = nextMark();
    if (isOpening(load<u8>(end))) end = nested(from, end, node);
    else copy(from, end);
    put(load<u8>(end));
    if (load<u8>(end) === closeBracket) return;
    from = end + 1;
  }
}

/**
 * Copies an object or array with the text before it.
 * @param from where the copied text begins: at the name of the value, if it has one
 * @param mark address of the opening bracket
 * @returns the mark after the value
 */
function nested(from: usize, mark: usize, node: u32): usize {
  const byte = load<u8>(mark) as u32;
  if (node > whole) {
    if (byte === openBrace && hasFields(node)) {
      copy(from, mark);
      container += 1;
      cutObject(mark, node);
      return nextMark();
    }
    if (byte === openBracket && itemsOf(node) > whole) {
      copy(from, mark);
      container += 1;
      cutArray(mark, itemsOf(node));
      return nextMark();
    }
  }
  const end = endOf(container) + 1;
  container = nextAfter(container);
  skipTo(end);
  if (node !== dropped) copy(from, end);
  return nextMark();
}

function nextMark(): usize {
  while (word === 0) {
    wordAt += 8;
    word = load<u64>(wordAt);
  }
  const mark = input + ((wordAt - marks) << 3) + (ctz(word) as usize);
  word &= word - 1;
  return mark;
}

/** Continues with the first mark from `position` on. */
function skipTo(position: usize): void {
  const offset = position - input;
  wordAt = marks + ((offset >> 6) << 3);
  word = load<u64>(wordAt) & ((-1 as u64) << ((offset & 63) as u64));
}

function afterBlanks(at: usize): usize {
  while (isBlank(load<u8>(at))) at += 1;
  return at;
}

/** Returns the position of the quote that ends the name before a colon. */
function nameBefore(colon: usize): usize {
  let at = colon - 1;
  while (load<u8>(at) !== quote) at -= 1;
  return at;
}

function hasBackslash(from: usize, end: usize): bool {
  for (; from < end; from += 1) if (load<u8>(from) === backslash) return true;
  return false;
}

function put(byte: u32): void {
  store<u8>(to, byte);
  to += 1;
}

function copy(from: usize, end: usize): void {
  const length = end - from;
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
  to += length;
}

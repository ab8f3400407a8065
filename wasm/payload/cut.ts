/**
 * Copies the fields of a tree from a checked text. Everything else is skipped without reading it.
 */
import { hasEscapedNames, isBlank } from './check';
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
  put(0x7b);
  let isFirst = true;
  let from = open + 1;
  for (;;) {
    const colon = nextMark();
    if (load<u8>(colon) === 0x7d) break;
    const start = afterBlanks(from);
    const name = nameBefore(colon);
    const kept = fieldOf(node, start + 1, name);
    if (kept === dropped && hasEscapedNames && hasBackslash(start, name)) failed = true;
    if (kept !== dropped) {
      if (!isFirst) put(0x2c);
      isFirst = false;
    }
    const end = value(start, nextMark(), kept);
    if (load<u8>(end) === 0x7d) break;
    from = end + 1;
  }
  put(0x7d);
}

/** Copies an array whose bracket is at `open`, with all of its items. */
function cutArray(open: usize, node: u32): void {
  put(0x5b);
  let from = open + 1;
  for (;;) {
    const end = value(from, nextMark(), node);
    put(load<u8>(end));
    if (load<u8>(end) === 0x5d) return;
    from = end + 1;
  }
}

/**
 * Copies a value with the text before it.
 * @param from where the copied text begins: at the name of the value, if it has one
 * @param mark the first mark of the value, or the mark after a value that has none
 * @returns the mark after the value
 */
function value(from: usize, mark: usize, node: u32): usize {
  const byte = load<u8>(mark) as u32;
  if (byte !== 0x7b && byte !== 0x5b) {
    if (node !== dropped) copy(from, mark);
    return mark;
  }
  if (node > whole) {
    if (byte === 0x7b && hasFields(node)) {
      copy(from, mark);
      container += 1;
      cutObject(mark, node);
      return nextMark();
    }
    if (byte === 0x5b && itemsOf(node) > whole) {
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
  while (load<u8>(at) !== 0x22) at -= 1;
  return at;
}

function hasBackslash(from: usize, end: usize): bool {
  for (; from < end; from += 1) if (load<u8>(from) === 0x5c) return true;
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

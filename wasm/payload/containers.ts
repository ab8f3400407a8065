/**
 * Tracks the open objects and arrays of a text, and notes where each one ends.
 */
import { bit5 } from './bytes';
import { containers, maxContainers, maxDepth, stack } from './layout';

/** All bits are set within an object, and none within an array. */
export let inObject: u64 = 0;
/** Number of open objects and arrays. */
export let depth: u32 = 0;
/** Number of objects and arrays so far. */
let count: u32 = 0;

export function startContainers(): void {
  inObject = 0;
  depth = 0;
  count = 0;
}

/** Notes an opening bracket. Returns false if there are too many brackets. */
export function enter(bracket: u32): bool {
  if (depth === maxDepth || count === maxContainers) return false;
  store<u32>(stack + 4 * depth, (count << 1) | ((inObject & 1) as u32));
  depth += 1;
  count += 1;
  inObject = braceMask(bracket);
  return true;
}

/**
 * Notes a closing bracket. Returns false if it does not close the innermost object or array. One must be open.
 * @param position address of the bracket
 */
export function leave(bracket: u32, position: usize): bool {
  if (braceMask(bracket) !== inObject) return false;
  depth -= 1;
  const entry = load<u32>(stack + 4 * depth);
  const container = containers + 8 * (entry >> 1);
  store<u32>(container, position as u32);
  store<u32>(container, count, 4);
  inObject = 0 - ((entry & 1) as u64);
  return true;
}

/** Returns the address of the bracket that closes an object or array. The text must be checked. */
export function endOf(container: u32): usize {
  return load<u32>(containers + 8 * container) as usize;
}

/** Returns the number of the first object or array after the end of another one. The text must be checked. */
export function nextAfter(container: u32): u32 {
  return load<u32>(containers + 8 * container, 4);
}

/** Returns all bits for a brace, and none for a square bracket. */
function braceMask(bracket: u32): u64 {
  return 0 - (((bracket & bit5) / bit5) as u64);
}

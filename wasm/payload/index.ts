/**
 * Cuts the fields that are used out of a JSON text, and checks the whole text.
 */
import { check } from './check';
import { cut } from './cut';

import { memoryBytes } from './layout';

export { input, maxBytes, output, treeBytes, trees } from './layout';
export { fieldBytes, headerBytes, maxName } from './tree';

// A page of memory has 65,536 bytes. The memory has one page at first.
if (memory.grow(((memoryBytes + 0xffff) >> 16) as i32) < 0) unreachable();

/**
 * Cuts the text in `input` and writes the result to `output`.
 * @param length length of the text in bytes, at most `maxBytes`
 * @param tree address of the tree of names
 * @returns length of the result in bytes; -1 if the text must be parsed as a whole
 */
export function cutPayload(length: u32, tree: u32): i32 {
  return check(length) ? cut(tree) : -1;
}

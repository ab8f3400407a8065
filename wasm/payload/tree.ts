/**
 * Finds names in a tree of names. A node of the tree is the list of the fields of an object that are kept.
 *
 * A node begins with the node for the items of an array (4 bytes) and 36 bytes that give, for each length of a name,
 * the number of the first field whose name is at least as long. The fields follow: 8 bytes for the node of the value,
 * and 32 bytes for the name, filled up with zeros.
 */

/** In place of a node: the value is dropped. */
export const dropped: u32 = 0;
/** In place of a node: the value is kept as it is. */
export const whole: u32 = 1;

/** Sizes of the parts of a node, in bytes. */
export const headerBytes: u32 = 40;
export const fieldBytes: u32 = 40;
/** Maximum length of a name in the tree, in bytes. */
export const maxName: u32 = 32;

/** Returns the node for the items of an array; `whole` if arrays are kept as they are. */
export function itemsOf(node: u32): u32 {
  return load<u32>(node);
}

/** Whether objects are cut. Otherwise they are kept as they are. */
export function hasFields(node: u32): bool {
  return load<u8>(node, 4 + maxName + 1) !== 0;
}

/** Returns the node for the field whose name is the text from `start` to `end`; `dropped` if the node has none. */
export function fieldOf(node: u32, start: usize, end: usize): u32 {
  const length = (end - start) as u32;
  if (length > maxName) return dropped;
  const range = load<u16>(node + 4 + length) as u32;
  const head = length < 8 ? load<u64>(start) & (((1 as u64) << ((length * 8) as u64)) - 1) : load<u64>(start);
  const last = node + headerBytes + fieldBytes * (range >> 8);
  for (let field = node + headerBytes + fieldBytes * (range & 255); field < last; field += fieldBytes) {
    if (load<u64>(field, 8) !== head) continue;
    if (length <= 8 || isSame(start, field + 8, length)) return load<u32>(field);
  }
  return dropped;
}

/** Compares two texts of the same length, which is at least 8 bytes, after their first 8 bytes. */
function isSame(a: usize, b: usize, length: u32): bool {
  for (let i: u32 = 8; i + 8 < length; i += 8) if (load<u64>(a + i) !== load<u64>(b + i)) return false;
  return load<u64>(a + length - 8) === load<u64>(b + length - 8);
}

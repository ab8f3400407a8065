/**
 * Finds and checks the escape sequences of a text.
 */

import { backslash, bit5, isDigit, quote, slash } from './bytes';

/** 1 if the first byte of the next block is escaped. */
export let isNextEscaped: u64 = 0;
/** Whether all escape sequences so far are valid. */
export let areEscapesValid: bool = true;

export function startEscapes(): void {
  isNextEscaped = 0;
  areEscapesValid = true;
}

/**
 * Returns the mask of the escaped bytes of a block: each byte after a backslash that is not escaped itself. For
 * example, in `\\"` the second backslash is escaped, and the quote is not.
 * @param at address of the block
 */
export function escapedBytes(at: usize, backslashes: u64): u64 {
  let escaped = isNextEscaped;
  isNextEscaped = 0;
  let left = backslashes & ~escaped;
  while (left) {
    const bit = left & (0 - left);
    if (!isEscape(at + (ctz(left) as usize) + 1)) areEscapesValid = false;
    escaped |= bit << 1;
    isNextEscaped = bit >> 63;
    left &= ~(bit | (bit << 1));
  }
  return escaped;
}

/** A bit for each byte below 64, or from 64 on, that may follow a backslash: `"` and `/`; `\`, b, f, n, r, t and u. */
const below64: u64 = bitOf(quote) | bitOf(slash);
const from64: u64 =
  bitOf(backslash) | bitOf(0x62) | bitOf(0x66) | bitOf(0x6e) | bitOf(0x72) | bitOf(0x74) | bitOf(0x75);

function bitOf(byte: u64): u64 {
  return (1 as u64) << (byte & 63);
}

/** Whether the bytes after a backslash complete an escape sequence. */
function isEscape(at: usize): bool {
  const byte = load<u8>(at) as u64;
  const allowed = byte < 64 ? below64 : from64;
  if (byte >= 128 || (allowed & bitOf(byte)) === 0) return false;
  if (byte !== 0x75) return true;
  return isHex(load<u8>(at, 1)) && isHex(load<u8>(at, 2)) && isHex(load<u8>(at, 3)) && isHex(load<u8>(at, 4));
}

function isHex(byte: u32): bool {
  return isDigit(byte) || (byte | bit5) - 0x61 < 6;
}

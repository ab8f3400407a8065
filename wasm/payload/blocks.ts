/**
 * Classifies 64 bytes of text at once. A class is a mask: a 64-bit number with one bit per byte, where the lowest bit
 * belongs to the first byte. For example, the mask of the quotes in `{"a":1}` is `1010` in binary digits.
 */

import { backslash, space } from './bytes';

/** Combines four vectors of 16 bytes to a mask. A bit is set where the highest bit of the byte is set. */
export function maskOf(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = (i8x16.bitmask(a) | (i8x16.bitmask(b) << 16)) as u32;
  const high = (i8x16.bitmask(c) | (i8x16.bitmask(d) << 16)) as u32;
  return (low as u64) | ((high as u64) << 32);
}

/** Returns the mask of the bytes that equal `byte`. */
export function bytesEqual(a: v128, b: v128, c: v128, d: v128, byte: v128): u64 {
  return maskOf(i8x16.eq(a, byte), i8x16.eq(b, byte), i8x16.eq(c, byte), i8x16.eq(d, byte));
}

/** Returns the mask of the bytes that are not greater than `max`. */
export function bytesUpTo(a: v128, b: v128, c: v128, d: v128, max: v128): u64 {
  return maskOf(
    i8x16.eq(i8x16.min_u(a, max), a),
    i8x16.eq(i8x16.min_u(b, max), b),
    i8x16.eq(i8x16.min_u(c, max), c),
    i8x16.eq(i8x16.min_u(d, max), d),
  );
}

/**
 * Returns the mask of the brackets `{`, `}`, `[` and `]`, and of `Y`, `_`, `y` and DEL, which differ from the brackets
 * in the same bits. Outside of strings, the caller refuses these four.
 */
export function bracketLike(a: v128, b: v128, c: v128, d: v128): u64 {
  const differing = i8x16.splat(0x26);
  return bytesEqual(
    v128.or(a, differing),
    v128.or(b, differing),
    v128.or(c, differing),
    v128.or(d, differing),
    i8x16.splat(0x7f),
  );
}

/** Whether the block contains a backslash or a control character. */
export function hasSpecial(a: v128, b: v128, c: v128, d: v128): bool {
  const sought = i8x16.splat(backslash);
  const least = i8x16.min_u(i8x16.min_u(a, b), i8x16.min_u(c, d));
  const backslashes = v128.or(
    v128.or(i8x16.eq(a, sought), i8x16.eq(b, sought)),
    v128.or(i8x16.eq(c, sought), i8x16.eq(d, sought)),
  );
  return v128.any_true(v128.or(backslashes, i8x16.sub_sat_u(i8x16.splat(space), least)));
}

/**
 * Sets each bit to the parity of the bits up to and including it. From the mask of quotes this makes the mask of
 * strings: each opening quote and the bytes up to the closing quote, which is not included.
 */
export function parity(mask: u64): u64 {
  mask ^= mask << 1;
  mask ^= mask << 2;
  mask ^= mask << 4;
  mask ^= mask << 8;
  mask ^= mask << 16;
  return mask ^ (mask << 32);
}

/**
 * Extends the tokens of a mask over the blanks that follow them. The addition carries through a run of blanks: it
 * clears the runs whose first bit is added.
 * @param carry 1 if a token of the mask, or blanks after it, ended with the block before
 */
export function overBlanks(tokens: u64, blanks: u64, carry: u64): u64 {
  const first = ((tokens << 1) | carry) & blanks;
  return tokens | (blanks & ~(blanks + first));
}

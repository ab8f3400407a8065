/** Generates pseudorandom numbers from a seed, so that a failure can be reproduced. */

/** Returns an integer from 0 to `below` - 1. */
export type Random = (below: number) => number;

/** Returns the pseudorandom generator of a seed (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

/** Returns a random item of a list. */
export function pick<T>(random: Random, items: readonly T[]): T {
  return items[random(items.length)] as T;
}

/** Returns a text of `length` random characters from an alphabet. */
export function randomText(random: Random, alphabet: string, length: number): string {
  let text = '';
  while (text.length < length) text += alphabet[random(alphabet.length)];
  return text;
}

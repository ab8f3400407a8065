/**
 * Makes all random values of the sample history with a small seeded generator (mulberry32). The generator is not safe
 * for secrets.
 */

export type Random = {
  /** Returns a number of at least 0 and less than 1. */
  fraction(): number;
  /** Returns an integer from `lowest` to `highest`, both included. */
  between(lowest: number, highest: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
  hex(length: number): string;
  uuid(): string;
};

/** Creates a generator. The same seed gives the same sequence on every machine. */
export function createRandom(seed: number): Random {
  const fraction = mulberry32(seed);
  const between = (lowest: number, highest: number) => lowest + Math.floor(fraction() * (highest - lowest + 1));
  const hex = (length: number) => Array.from({ length }, () => between(0, 15).toString(16)).join('');
  return {
    fraction,
    between,
    hex,
    chance: (probability) => fraction() < probability,
    pick: (items) => pickFrom(items, fraction),
    shuffle: (items) => shuffled(items, between),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${between(8, 11).toString(16)}${hex(3)}-${hex(12)}`,
  };
}

function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function pickFrom<Item>(items: readonly Item[], fraction: () => number): Item {
  if (items.length === 0) throw new RangeError('Nothing to pick from');
  return items[Math.floor(fraction() * items.length)] as Item;
}

function shuffled<Item>(items: readonly Item[], between: (lowest: number, highest: number) => number): Item[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = between(0, last);
    [result[last], result[other]] = [result[other] as Item, result[last] as Item];
  }
  return result;
}

/**
 * Merges the lists of several repositories into one list, newest first. It reads little more of each list than the
 * caller takes.
 */

/** Returns up to `limit` items of one list, newest first: those that follow `after`, or the first ones. */
export type ReadNewest<T> = (limit: number, after: T | undefined) => readonly T[];

/** Maximum number of items of one list that are read at once. */
const maxAtOnce = 256;

/** The next items of one list. `size` is the number of items that the last reading asked for. */
interface Queue<T> {
  read: ReadNewest<T>;
  items: readonly T[];
  at: number;
  size: number;
}

/**
 * Yields the items of all lists, newest first.
 * @param compare returns a positive number if the first item is newer than the second
 */
export function* newestOf<T>(lists: readonly ReadNewest<T>[], compare: (a: T, b: T) => number): Generator<T> {
  const queues: Queue<T>[] = lists
    .map((read) => ({ read, items: read(1, undefined), at: 0, size: 1 }))
    .filter(({ items }) => items.length > 0);
  // The queue with the newest item is the last one.
  queues.sort((a, b) => compare(head(a), head(b)));
  for (let queue = queues.pop(); queue; queue = queues.pop()) {
    const item = head(queue);
    yield item;
    const rest = advanced(queue, item);
    if (rest) queues.splice(placeOf(queues, head(rest), compare), 0, rest);
  }
}

function head<T>({ items, at }: Queue<T>): T {
  return items[at] as T;
}

/** Returns a queue without its first item; undefined if it has no other item. */
function advanced<T>({ read, items, at, size }: Queue<T>, item: T): Queue<T> | undefined {
  if (at + 1 < items.length) return { read, items, at: at + 1, size };
  if (items.length < size) return undefined;
  const more = Math.min(size * 4, maxAtOnce);
  const next = read(more, item);
  return next.length === 0 ? undefined : { read, items: next, at: 0, size: more };
}

/** Returns the position at which a queue with this first item keeps the order. */
function placeOf<T>(queues: readonly Queue<T>[], item: T, compare: (a: T, b: T) => number): number {
  let [low, high] = [0, queues.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(head(queues[middle] as Queue<T>), item) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

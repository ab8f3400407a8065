/**
 * Merges the lists of several repositories into one list, newest first. It reads little more of each list than the
 * caller takes.
 */
import { inTurns } from '../foundation/turn.ts';

/** Returns up to `limit` items of one list, newest first: those that follow `after`, or the first ones. */
export type ReadNewest<T> = (limit: number, after: T | undefined) => readonly T[];

/** Maximum number of items of one list that are read at once. */
const maxAtOnce = 256;

/** Number of lists that are begun in one turn of the event loop, since the loop also accepts webhooks. */
const maxPerTurn = 200;

/** The next items of one list. `size` is the number of items that the last reading asked for. */
interface Queue<T> {
  read: ReadNewest<T>;
  items: readonly T[];
  at: number;
  size: number;
}

/**
 * Returns the items of all lists, newest first. The first item of each list is read before, in several turns of the
 * event loop.
 * @param compare returns a positive number if the first item is newer than the second
 */
export async function newestOf<T>(
  lists: readonly ReadNewest<T>[],
  compare: (a: T, b: T) => number,
): Promise<Iterable<T>> {
  const queues: Queue<T>[] = [];
  for await (const read of inTurns(lists, maxPerTurn)) {
    const items = read(1, undefined);
    if (items.length > 0) queues.push({ read, items, at: 0, size: 1 });
  }
  // The queue with the newest item is the last one.
  queues.sort((a, b) => compare(head(a), head(b)));
  return merged(queues, compare);
}

function* merged<T>(queues: Queue<T>[], compare: (a: T, b: T) => number): Generator<T> {
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

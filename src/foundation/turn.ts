/**
 * Numbers the turns of the event loop, and divides long work among them. Work that several requests of one turn need,
 * such as renewing a view of the store, is done once per turn.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';

let turn = 0;
let isEndPlanned = false;

/**
 * Returns the number of the current turn. A turn ends after the event loop has handled all network data that had arrived
 * when the turn began.
 */
export function currentTurn(): number {
  if (!isEndPlanned) {
    isEndPlanned = true;
    setImmediate(endTurn);
  }
  return turn;
}

function endTurn(): void {
  turn += 1;
  isEndPlanned = false;
}

/**
 * Yields items, and gives other work a turn of the event loop after every `perTurn` items.
 */
export async function* inTurns<T>(items: readonly T[], perTurn: number): AsyncGenerator<T> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % perTurn === 0) await nextTurn();
    yield item;
  }
}

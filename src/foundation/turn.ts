/**
 * Numbers the turns of the event loop. Work that several requests of one turn need, such as renewing a view of the
 * store, is done once per turn.
 */

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

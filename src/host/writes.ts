/**
 * The distance that writes to a host keep from each other, whoever in this process sends them: hosts limit content that is
 * made faster (GitHub asks for a second between two writes).
 */
import { setTimeout as sleep } from 'node:timers/promises';

const usualGapMs = 1000;
/** By API address: when the next write may begin, by `performance.now()`. */
const next = new Map<string, number>();

/**
 * Waits for the turn of a write.
 * @throws the signal's reason when that ends the wait
 */
export async function writeTurn(apiUrl: string, gapMs = usualGapMs, signal?: AbortSignal): Promise<void> {
  const now = performance.now();
  const turn = Math.max(now, next.get(apiUrl) ?? 0);
  next.set(apiUrl, turn + gapMs);
  if (turn > now) await sleep(turn - now, undefined, { ref: false, ...(signal && { signal }) });
}

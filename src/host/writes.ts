/**
 * Keeps a minimum interval between all writes of this process to the same host. Hosts limit clients that create content
 * at shorter intervals. GitHub asks for one second between two writes.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const usualGapMs = 1000;
/** The earliest start of the next write, per API address, on the clock of `performance.now()`. */
const next = new Map<string, number>();

/**
 * Waits until the next write to a host may be sent.
 * @throws the signal's reason when the signal ends the wait
 */
export async function writeTurn(apiUrl: string, gapMs = usualGapMs, signal?: AbortSignal): Promise<void> {
  const now = performance.now();
  const turn = Math.max(now, next.get(apiUrl) ?? 0);
  next.set(apiUrl, turn + gapMs);
  if (turn > now) await sleep(turn - now, undefined, { ref: false, ...(signal && { signal }) });
}

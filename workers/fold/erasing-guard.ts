/**
 * Protects against erasing too much (`docs/architecture.md` decision 19). This file keeps the trusted time, which a
 * jump of the clock cannot move, and folds the approvals of operators.
 */

import { dayMs } from '../../src/foundation/days.ts';
import { nameIn, unreachable } from '../../src/foundation/unreachable.ts';
import type { CommandResult } from '../../src/protocol/commands.ts';
import type { Wait } from '../../src/protocol/retention.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  readJump,
  readSweep,
  readTrustedTime,
  writeJump,
  writeSweep,
  writeTrustedTime,
} from '../../src/store/tables/retention.ts';
import { approveOrganizations } from './organizations.ts';

/**
 * Maximum difference between the time of a record and the trusted time, in milliseconds. A larger difference counts as
 * a jump of the clock.
 */
const trustedStepMs = dayMs;

/**
 * Moves the trusted time forward to the time of a tick. If the tick is more than a day before or after the trusted
 * time, records a jump of the clock and leaves the trusted time unchanged.
 */
export function trustTick(partition: Partition, at: number): void {
  const trusted = readTrustedTime(partition);
  if (trusted !== 0 && !isNear(at, trusted)) return writeJump(partition, { from: trusted, to: at });
  writeJump(partition, undefined);
  if (at > trusted) writeTrustedTime(partition, at);
}

/** Whether a sweep may rely on the time `at`. If `at` is too far from the trusted time, a jump is recorded. */
export function isTrusted(partition: Partition, at: number): boolean {
  const trusted = readTrustedTime(partition);
  if (trusted === 0 || readJump(partition)) return false;
  if (isNear(at, trusted)) return true;
  writeJump(partition, { from: trusted, to: at });
  return false;
}

function isNear(at: number, time: number): boolean {
  return Math.abs(at - time) <= trustedStepMs;
}

/**
 * Folds an operator's approval at time `at`. The approval applies only to the pause in erasing that `wait` describes. A
 * later pause needs a new approval.
 */
export function foldApproval(partition: Partition, wait: Wait, at: number): CommandResult {
  if (approve(partition, wait, at)) return { ok: true, value: { partition: partition.name, ...wait } };
  const message = `Partition ${partition.name} is not waiting for this approval. Check what it waits for (GET /api/retention, or tidings retention show), then approve again.`;
  return { ok: false, kind: 'conflict', message };
}

function approve(partition: Partition, wait: Wait, at: number): boolean {
  switch (wait.cause) {
    case 'clock':
      return approveClock(partition, wait);
    case 'records':
      return approveSweep(partition, wait);
    case 'organisations':
      return approveOrganizations(partition, wait, at);
    default:
      return unreachable(wait, `Unknown cause of a wait: ${nameIn(wait, 'cause')}.`);
  }
}

function approveClock(partition: Partition, wait: Extract<Wait, { cause: 'clock' }>): boolean {
  const jump = readJump(partition);
  // The approval is also valid if the clock has advanced normally since the jump. If the clock has jumped again, the
  // approval has no effect, because the approval was given for the earlier jump.
  if (jump?.from !== wait.from || !isNear(wait.to, jump.to)) return false;
  writeJump(partition, undefined);
  writeTrustedTime(partition, wait.to);
  return true;
}

function approveSweep(partition: Partition, wait: Extract<Wait, { cause: 'records' }>): boolean {
  const sweep = readSweep(partition);
  const isSame = sweep?.before === wait.before && sweep.records === wait.records && sweep.total === wait.total;
  if (sweep?.phase !== 'waiting' || !isSame) return false;
  writeSweep(partition, { ...sweep, phase: 'erasing' });
  return true;
}

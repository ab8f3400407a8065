/**
 * What keeps erasing from going wrong (`docs/architecture.md` decision 19): a time that a jumping clock cannot move, and the
 * share of a partition that may go without an operator's word, which is folded here.
 */
import { dayMs } from '../../src/foundation/days.ts';
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
import { approveOrganisations } from './organizations.ts';

/** A clock may be this far from the trusted time. */
const trustedStepMs = dayMs;

/** Moves the time that erasing trusts, at most a day at once; a clock further off, ahead or behind, is noted as a jump. */
export function trustTick(partition: Partition, at: number): void {
  const trusted = readTrustedTime(partition);
  if (trusted !== 0 && !isNear(at, trusted)) return writeJump(partition, { from: trusted, to: at });
  writeJump(partition, undefined);
  if (at > trusted) writeTrustedTime(partition, at);
}

/** Whether a sweep may decide by the time `at`; a jump is noted. */
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

/** Folds an operator's word at time `at`. It counts for what it names and for nothing that came after. */
export function foldApproval(partition: Partition, wait: Wait, at: number): CommandResult {
  if (approve(partition, wait, at)) return { ok: true, value: { partition: partition.name, ...wait } };
  const message = `Partition ${partition.name} does not wait for this. See what it waits for and say so again.`;
  return { ok: false, kind: 'conflict', message };
}

function approve(partition: Partition, wait: Wait, at: number): boolean {
  switch (wait.cause) {
    case 'clock':
      return approveClock(partition, wait);
    case 'records':
      return approveSweep(partition, wait);
    case 'organisations':
      return approveOrganisations(partition, wait, at);
    default:
      return false;
  }
}

function approveClock(partition: Partition, wait: Extract<Wait, { cause: 'clock' }>): boolean {
  const jump = readJump(partition);
  // The clock goes on meanwhile; one that has jumped again is another.
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

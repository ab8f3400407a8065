/**
 * Folds release note checks of pull requests: requests a check when the verdict may have changed, and stores what the
 * host shows. A pull request has at most one waiting check, which serves all requests that were made before it began.
 */
import { isDeepStrictEqual } from 'node:util';
import { maxNumber } from '../../src/protocol/limits.ts';
import type { NoteChecked } from '../../src/protocol/note-checks.ts';
import type { PullRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { nextNumber } from '../../src/store/tables/meta.ts';
import { newestRows } from '../../src/store/tables/newest.ts';
import {
  readNoteCheck,
  readWaitingCheck,
  removeWaitingCheck,
  writeNoteCheck,
  writeWaitingCheck,
} from '../../src/store/tables/note-checks.ts';
import { readPull } from '../../src/store/tables/pulls.ts';
import { noteCheckMode } from '../../src/store/tables/settings.ts';

/** How long a check waits for further events of its pull request, in milliseconds. */
const delayMs = 5000;
/**
 * After a change of the settings, the newest pull requests are searched for open ones (`searched`), and the first of
 * these are checked (`checked`). A host accepts one write per second, so a larger number would occupy it for long. The
 * search ends after `texts` characters of bodies, because the other repositories of the partition wait for it.
 */
const maxAfterSettings = { searched: 1000, checked: 100, texts: 4_194_304 };
/** Actions that request a check even if they change nothing that the notes depend on. */
const asking: ReadonlySet<string> = new Set(['opened', 'reopened', 'ready_for_review']);

/** Requests a check after an event of a pull request, if the verdict may have changed. */
export function checkAfterEvent(
  partition: Partition,
  repoId: string,
  { before, after, action }: { before: PullRecord | undefined; after: PullRecord; action: string },
  at: number,
): void {
  if (before && !asking.has(action) && isDeepStrictEqual(judged(before), judged(after))) return;
  requestNoteCheck(partition, repoId, after, at);
}

/** Requests a check of a pull request that is open, if the settings of its repository ask for checks. */
function requestNoteCheck(partition: Partition, repoId: string, pull: PullRecord | undefined, at: number): void {
  if (pull && mayCheck(pull) && noteCheckMode(partition, repoId) !== 'off') request(partition, repoId, pull.number, at);
}

/** Requests a check after a comment has changed what the notes say about a pull request. */
export function checkAfterCommand(partition: Partition, repoId: string, number: number, at: number): void {
  requestNoteCheck(partition, repoId, readPull(partition, repoId, number), at);
}

/**
 * Requests checks after a change of the settings. After the check was turned off, only pull requests are checked whose
 * verdict the host shows, so that a failure does not stay there.
 */
export function checkAfterSettings(partition: Partition, repoId: string, wasOn: boolean, at: number): void {
  const isOn = noteCheckMode(partition, repoId) !== 'off';
  if (!isOn && !wasOn) return;
  const { searched: limit, texts: maxTexts } = maxAfterSettings;
  const newest = newestRows(partition, 'pulls', repoId, { below: maxNumber + 1, limit, maxTexts });
  const open = newest.filter(
    (pull) => mayCheck(pull) && (isOn || readNoteCheck(partition, repoId, pull.number)?.headSha !== undefined),
  );
  for (const { number } of open.slice(0, maxAfterSettings.checked)) request(partition, repoId, number, at);
}

/**
 * Stores the outcome of a check. If a new check was requested meanwhile, it waits for further events again. An outcome
 * of a pull request without a waiting check is a duplicate, or its repository was erased.
 */
export function noteChecked(partition: Partition, outcome: NoteChecked, at: number): void {
  const { repoId, number, row, shown, error, retryAt } = outcome;
  const waiting = readWaitingCheck(partition, repoId, number);
  if (!waiting) return;
  if (waiting.row !== row)
    writeWaitingCheck(partition, repoId, number, { ...waiting, due: Math.max(waiting.due, at + delayMs) });
  else if (retryAt === null) removeWaitingCheck(partition, repoId, number);
  else
    writeWaitingCheck(partition, repoId, number, {
      due: retryAt,
      tries: waiting.tries + 1,
      row: nextNumber(partition, 'noteChecks'),
    });
  const { at: _, ...before } = readNoteCheck(partition, repoId, number) ?? { at, error: null };
  const after = { ...before, ...shown, error };
  if (!isDeepStrictEqual(before, after)) writeNoteCheck(partition, repoId, number, { ...after, at });
}

/** Writes a waiting check. A later request does not extend the delay of an earlier one. */
function request(partition: Partition, repoId: string, number: number, at: number): void {
  const due = Math.min(at + delayMs, readWaitingCheck(partition, repoId, number)?.due ?? Number.POSITIVE_INFINITY);
  writeWaitingCheck(partition, repoId, number, { due, tries: 0, row: nextNumber(partition, 'noteChecks') });
}

/**
 * Whether a verdict about a pull request can be written. Records of earlier versions of Tidings do not contain the
 * newest commit, so their replay requests no checks.
 */
function mayCheck({ state, headSha }: PullRecord): boolean {
  return state === 'open' && headSha !== undefined;
}

/** Returns the fields of a pull request that a verdict depends on. */
function judged({ title, body, labels, author, state, baseRef, headRef, headSha }: PullRecord): unknown[] {
  return [title, body, labels, author.login, state, baseRef, headRef, headSha];
}

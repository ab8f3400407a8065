/**
 * The automation rule of each repository, and the runs of the rule by tag. A run is kept as long as its repository, so
 * that no tag starts a second one.
 */
import { digestOf } from '../../foundation/etag.ts';
import type { AutomationRecord, AutomationRun } from '../../protocol/automation.ts';
import type { Partition } from '../partition.ts';

export function readAutomation(partition: Partition, repoId: string): AutomationRecord | undefined {
  return partition.tables.automations.get([repoId, 'rule']);
}

export function writeAutomation(partition: Partition, repoId: string, automation: AutomationRecord): void {
  partition.tables.automations.putSync([repoId, 'rule'], automation);
}

/** Removes the rule of a repository that is not stored. */
export function removeAutomation(partition: Partition, repoId: string): void {
  partition.tables.automations.removeSync([repoId, 'rule']);
}

/** Returns the digest of the rule. It does not cover the runs, so that a run does not refuse a person's change. */
export function automationDigest(partition: Partition, repoId: string): string {
  return digestOf(JSON.stringify(readAutomation(partition, repoId)?.rule ?? null));
}

export function readRun(partition: Partition, repoId: string, tag: string): AutomationRun | undefined {
  return partition.tables.automationRuns.get([repoId, tag]);
}

export function writeRun(partition: Partition, repoId: string, run: AutomationRun): void {
  partition.tables.automationRuns.putSync([repoId, run.tag], run);
}

/** Returns the newest runs of a repository, the newest first. */
export function newestRuns(partition: Partition, repoId: string, limit: number): AutomationRun[] {
  const rows = partition.tables.automationRuns.getRange({ start: [repoId], end: [repoId, '\u{10ffff}'] });
  const runs = [...rows].map(({ value }) => value as AutomationRun);
  return runs.sort((a, b) => b.startedAt - a.startedAt || (a.tag > b.tag ? -1 : 1)).slice(0, limit);
}

/** Returns an automation as API replies contain it. A repository without a rule has both parts off. */
export function automationResponse(
  automation: AutomationRecord | undefined,
  runs: readonly AutomationRun[],
): Record<string, unknown> {
  const { onTag, unreleased } = automation?.rule ?? { onTag: null, unreleased: null };
  const setAt = automation ? new Date(automation.setAt).toISOString() : null;
  return { onTag, unreleased, setAt, problem: automation?.problem ?? null, runs: runs.map(runResponse) };
}

function runResponse({ acts: _, startedAt, endedAt, ...run }: AutomationRun): Record<string, unknown> {
  const isoOf = (time: number) => new Date(time).toISOString();
  return { ...run, startedAt: isoOf(startedAt), endedAt: endedAt === null ? null : isoOf(endedAt) };
}

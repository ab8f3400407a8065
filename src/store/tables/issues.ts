/**
 * Captured issues, stored by number. Closed issues also have an index by the time of closing.
 */
import type { IssueRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

export function readIssue(partition: Partition, repoId: string, number: number): IssueRecord | undefined {
  return partition.tables.issues.get([repoId, number]);
}

/** Writes an issue and updates its index row. */
export function writeIssue(
  partition: Partition,
  repoId: string,
  issue: IssueRecord,
  before: IssueRecord | undefined,
): void {
  const { issues, issuesByClosedAt } = partition.tables;
  issues.putSync([repoId, issue.number], issue);
  if (before?.closedAt === issue.closedAt) return;
  if (before?.closedAt != null) issuesByClosedAt.removeSync([repoId, before.closedAt, issue.number]);
  if (issue.closedAt !== null) issuesByClosedAt.putSync([repoId, issue.closedAt, issue.number], true);
}

/** Removes an issue that the host deleted or transferred, and stores the time of the removal. */
export function removeIssue(partition: Partition, repoId: string, number: number, at: number): void {
  const issue = readIssue(partition, repoId, number);
  const removedAt: number = partition.tables.removedIssues.get([repoId, number]) ?? 0;
  partition.tables.removedIssues.putSync([repoId, number], Math.max(removedAt, at));
  if (!issue) return;
  partition.tables.issues.removeSync([repoId, number]);
  if (issue.closedAt !== null) partition.tables.issuesByClosedAt.removeSync([repoId, issue.closedAt, number]);
}

/** Whether an issue was removed. Late deliveries must not bring it back. */
export function isIssueRemoved(partition: Partition, repoId: string, number: number): boolean {
  return partition.tables.removedIssues.get([repoId, number]) !== undefined;
}

/** Returns the issues with `from` ≤ closedAt < `to`, ordered by (closedAt, number). */
export function issuesClosedBetween(partition: Partition, repoId: string, from: number, to: number): IssueRecord[] {
  const found: IssueRecord[] = [];
  for (const key of partition.tables.issuesByClosedAt.getKeys({ start: [repoId, from], end: [repoId, to] })) {
    const issue = readIssue(partition, repoId, (key as [string, number, number])[2]);
    if (issue) found.push(issue);
  }
  return found;
}

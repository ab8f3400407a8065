/**
 * Captured issues: by number, and closed ones by time of closing.
 */
import type { IssueRecord } from '../protocol/stored.ts';
import type { Partition } from './partition.ts';

export function readIssue(partition: Partition, repoId: string, number: number): IssueRecord | undefined {
  return partition.tables.issues.get([repoId, number]);
}

/** Writes an issue and moves its index entry. */
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

/** Closed issues with `from` ≤ closedAt < `to`, by (closedAt, number). */
export function issuesClosedBetween(partition: Partition, repoId: string, from: number, to: number): IssueRecord[] {
  const found: IssueRecord[] = [];
  for (const key of partition.tables.issuesByClosedAt.getKeys({ start: [repoId, from], end: [repoId, to] })) {
    const issue = readIssue(partition, repoId, (key as [string, number, number])[2]);
    if (issue) found.push(issue);
  }
  return found;
}

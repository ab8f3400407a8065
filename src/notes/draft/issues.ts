/**
 * Handles issues that were closed without a pull request of the range. Decides which of these issues are listed, and
 * for which readers.
 */
import type { IssueRecord } from '../../protocol/stored.ts';
import { readLabels, type Vocabulary } from '../change/labels.ts';
import { parseTitle } from '../change/title.ts';
import type { Selection } from '../range/select.ts';

const unresolved = new Set(['duplicate', 'invalid', 'wontfix', 'won t fix', 'question', 'stale', 'not planned']);
const resolved =
  /^(?:(?:status|resolution|state)\s*[:/]?\s*)?(?:resolved|fixed|released|shipped|implemented|completed|done)$/;

/**
 * Returns the closed issues of a range. Two kinds of issues are left out: issues that are linked by a pull request of
 * the range, and issues that were closed as unresolved.
 */
export function closedWithoutPull({ issues, pulls }: Selection): IssueRecord[] {
  const linked = new Set<number>();
  for (const { linkedIssues } of pulls) for (const number of linkedIssues) linked.add(number);
  return issues.filter((issue) => !linked.has(issue.number) && !isUnresolved(issue));
}

/** Whether an issue was closed without being solved: as a duplicate, as not planned, or by a label. */
export function isUnresolved({ stateReason, labels }: IssueRecord): boolean {
  return (stateReason ?? 'completed') !== 'completed' || labels.some((label) => unresolved.has(wordsOf(label)));
}

/**
 * Returns the group in which the customer draft shows an issue without a pull request. Returns undefined when the draft
 * does not show the issue. Customers see only issues that are labeled as resolved, and also as a bug or a feature.
 */
export function customerGroup(issue: IssueRecord, vocabulary: Vocabulary): 'new' | 'fixed' | undefined {
  if (!issue.labels.some((label) => resolved.test(wordsOf(label)))) return undefined;
  const { specTypes } = readLabels(issue.labels, vocabulary);
  if (specTypes.has('feature')) return 'new';
  return specTypes.has('fix') ? 'fixed' : undefined;
}

/** Returns an issue's title without the prefix of an issue form, such as `[Bug]:`. A word that names an area stays. */
export function issueTitle({ title }: Pick<IssueRecord, 'title'>): string {
  const { text, areas, keys } = parseTitle(title);
  return areas.length + keys.length === 0 && text !== '' ? text : title;
}

function wordsOf(label: string): string {
  return label
    .toLowerCase()
    .replace(/['’\s_-]+/g, ' ')
    .trim();
}

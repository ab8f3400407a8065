/**
 * Issues of a range that no pull request of it closed: which of them are news, and for whom.
 */
import type { IssueRecord } from '../../protocol/stored.ts';
import { readLabels, type Vocabulary } from '../change/labels.ts';
import { parseTitle } from '../change/title.ts';
import type { Selection } from '../range/select.ts';

const unresolved = new Set(['duplicate', 'invalid', 'wontfix', 'won t fix', 'question', 'stale', 'not planned']);
const resolved =
  /^(?:(?:status|resolution|state)\s*[:/]?\s*)?(?:resolved|fixed|released|shipped|implemented|completed|done)$/;

/** Closed in the range without any of its pull requests; what was closed unresolved is no news. */
export function closedWithoutPull({ issues, pulls }: Selection): IssueRecord[] {
  const linked = new Set<number>();
  for (const { linkedIssues } of pulls) for (const number of linkedIssues) linked.add(number);
  return issues.filter((issue) => !linked.has(issue.number) && !isUnresolved(issue));
}

/** Closed without being solved: as a duplicate, as not planned, or by a label. */
export function isUnresolved({ stateReason, labels }: IssueRecord): boolean {
  return (stateReason ?? 'completed') !== 'completed' || labels.some((label) => unresolved.has(wordsOf(label)));
}

/** What a customer may be told of an issue without a pull request: only what a label calls a bug or feature, and resolved. */
export function toldToCustomers(issue: IssueRecord, vocabulary: Vocabulary): 'new' | 'fixed' | undefined {
  if (!issue.labels.some((label) => resolved.test(wordsOf(label)))) return undefined;
  const { specTypes } = readLabels(issue.labels, vocabulary);
  if (specTypes.has('feature')) return 'new';
  return specTypes.has('fix') ? 'fixed' : undefined;
}

/** An issue's title without what its form put before it, such as `[Bug]:`; a word that says where stays. */
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

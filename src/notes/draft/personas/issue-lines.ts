/**
 * Issues closed without a pull request, as engineers and colleagues read them.
 */
import { escapeText } from '../escape.ts';
import type { Notes } from '../gather.ts';
import { issueTitle } from '../issues.ts';
import { marker, numberLink } from '../markdown.ts';

export function issueLines({ closedIssues, source }: Notes): string[] {
  return closedIssues.map((issue) => {
    const title = escapeText(issueTitle(issue)) || 'Untitled';
    return `- ${title} (${numberLink(issue, source.settings.links)}) ${marker('issue', issue.number)}`;
  });
}

/**
 * Issues closed without a pull request, as engineers and colleagues read them.
 */
import { escapeText } from '../escape.ts';
import type { Notes } from '../gather.ts';
import { marker, numberLink } from '../markdown.ts';

export function issueLines({ closedIssues, source }: Notes): string[] {
  return closedIssues.map((issue) => {
    const title = escapeText(issue.title) || 'Untitled';
    return `- ${title} (${numberLink(issue, source.settings.links)}) ${marker('issue', issue.number)}`;
  });
}

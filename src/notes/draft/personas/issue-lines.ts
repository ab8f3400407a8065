/**
 * Writes the lines for issues that were closed without a pull request. The engineer and internal drafts use these
 * lines.
 */
import { markerOf } from '../../../foundation/markers.ts';
import { escapeText } from '../escape.ts';
import type { Notes } from '../gather.ts';
import { issueTitle } from '../issues.ts';
import { numberLink } from '../markdown.ts';

export function issueLines({ closedIssues, source }: Notes): string[] {
  return closedIssues.map((issue) => {
    const title = escapeText(issueTitle(issue)) || 'Untitled';
    return `- ${title} (${numberLink(issue, source.settings.links)}) ${markerOf(`issue:${issue.number}`)}`;
  });
}

/**
 * Writes the long texts of a planned pull request: its description and its commit messages. The texts look like real
 * ones: they contain templates with hints in comments, the CRLF line ends of the web editor, sections, and trailers.
 */

import { coAuthorTrailer } from './people.ts';
import type { PlannedPullRequest } from './plan.ts';
import { sampleRepository } from './repository.ts';

const templateHint = '<!-- Thank you! If this solves an issue, please say so below, for example: Fixes #1 -->';

/** Returns the description in Markdown, or null when it is empty. */
export function describePullRequest(pull: PlannedPullRequest, withLinks = true): string | null {
  const parts = [
    pull.number % 5 === 0 && pull.fromFork ? templateHint : '',
    pull.change.body,
    originalLine(pull),
    pull.change.upgrade === undefined ? '' : `## Upgrade\n\n${pull.change.upgrade}`,
    releaseNote(pull),
    withLinks ? issueLinks(pull) : '',
  ].filter((part) => part !== '');
  if (parts.length === 0) return null;
  const text = parts.join('\n\n');
  return pull.number % 7 === 0 ? text.replaceAll('\n', '\r\n') : text;
}

function originalLine(pull: PlannedPullRequest): string {
  if (pull.original === undefined) return '';
  const { number, mergeSha } = pull.original;
  if (pull.change.reverts !== undefined) return `Reverts ${sampleRepository.fullName}#${number}`;
  return `Backport of #${number} to \`${pull.base}\`.\n\n(cherry picked from commit ${mergeSha})`;
}

/** Returns the release note in one of the two usual forms: a fenced block or a section with a heading. */
function releaseNote(pull: PlannedPullRequest): string {
  const { note } = pull.change;
  if (note === undefined) return '';
  return pull.number % 2 === 0 ? `\`\`\`release-note\n${note}\n\`\`\`` : `## Release note\n\n${note}`;
}

function issueLinks(pull: PlannedPullRequest): string {
  const keywords = pull.change.labels.includes('type: bug') ? ['Fixes', 'fixes', 'Fixed:'] : ['Closes', 'Resolves'];
  const keyword = keywords[pull.number % keywords.length]!;
  return pull.issues.map((issue) => `${keyword} #${issue.number}`).join('\n');
}

/** Returns the message of the commit that the merge makes on the base branch. */
export function mergeMessage(pull: PlannedPullRequest): string {
  const title = pull.change.titleAtMerge ?? pull.change.title;
  if (pull.branchCommits.length > 0) {
    const owner = pull.fromFork ? pull.author.login : sampleRepository.owner.login;
    return `Merge pull request #${pull.number} from ${owner}/${pull.branch}\n\n${title}`;
  }
  const trailers = pull.coAuthors.map(coAuthorTrailer).join('\n');
  return [`${title} (#${pull.number})`, commitBody(pull), trailers].filter((part) => part !== '').join('\n\n');
}

function commitBody(pull: PlannedPullRequest): string {
  if (pull.original === undefined) return pull.change.body.split('\n\n')[0] ?? '';
  const { mergeSha } = pull.original;
  if (pull.change.reverts !== undefined) return `This reverts commit ${mergeSha}.`;
  return `(cherry picked from commit ${mergeSha})`;
}

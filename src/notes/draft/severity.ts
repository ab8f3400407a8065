/**
 * Ranks changes for readers outside the project: security first, then data loss, crashes, hangs and wrong results, then
 * everything else. Only words of the change itself are read.
 */
import type { NotesSource } from '../range/source.ts';
import type { Entry } from './entries.ts';

const ranks: readonly RegExp[] = [
  /\b(?:data[- ]?loss|los(?:es?|ing|t) (?:of )?(?:data|writes?|messages?|files?|records?)|corrupt\w*|(?:files?|data|records?) (?:are|is|were|was|get|gets) (?:lost|deleted|overwritten))\b/i,
  /\b(?:crash\w*|panics?|panicked|segfaults?|segmentation fault|abort(?:s|ed)?|out of memory|oom|(?:null|nil)[- ]pointer|unhandled (?:rejection|exception))\b/i,
  /\b(?:hangs?|hung|freez(?:es?|ing)|frozen|deadlock\w*|infinite (?:loop|recursion)|never (?:returns?|ends?|finish\w*|settles?)|stuck|memory leak\w*|goroutine leak\w*)\b/i,
  /\b(?:wrong(?:ly)?|incorrect(?:ly)?|invalid results?|miscalculat\w*|inaccurate|silently)\b/i,
];

/** Returns the rank of a change: 0 for security, then 1 to 4, then 5 for every other change. */
export function severityOf({ section, text, note, issues }: Entry): number {
  if (section === 'security') return 0;
  if (section !== 'fix' && section !== 'breaking') return ranks.length + 1;
  const words = [text, note?.markdown ?? '', ...issues.map(({ title }) => title)].join('\n');
  const rank = ranks.findIndex((pattern) => pattern.test(words));
  return rank === -1 ? ranks.length + 1 : rank + 1;
}

/** Returns how much people talked about a change: the comments on its pull request and its issues. */
export function talkAbout(source: NotesSource, { pull, issues }: Entry): number {
  let count = pull ? source.commentCount(pull.number) : 0;
  for (const { number } of issues) count += source.commentCount(number);
  return count;
}

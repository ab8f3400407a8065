/**
 * Recognizes changes that repair a security problem: a public id such as `CVE-2026-12345`, or the word "security" next
 * to a word such as "fix" or "update".
 */
import { visibleProse } from './scan.ts';

const id =
  /\b(?:[Cc][Vv][Ee]-\d{4}-\d{4,7}|[Gg][Hh][Ss][Aa](?:-[0-9A-Za-z]{4}){3}|GO-\d{4}-\d{4,6}|RUSTSEC-\d{4}-\d{4}|PYSEC-\d{4}-\d{1,6})\b/g;
const fixes =
  'bump|fix(?:es|ed)?|updates?|upgrades?|releases?|patch(?:es|ed)?|hotfix(?:es)?|hardening|issues?|vulnerabilit(?:y|ies)|advisor(?:y|ies)|flaws?|bugs?|holes?';
const beside = new RegExp(
  `\\bsecurity[ -](?:${fixes})\\b|\\b(?:bump|fix(?:es|ed)?|update|upgrade|release|patch)(?: for| of)?:? security(?=\\s*(?:$|[.:,;)\\]]))|\\[security\\]|\\b(?:fix|patch|resolv|address|mitigat|remediat|prevent|clos)[a-z]{0,4}\\b[^.]{0,60}\\bvulnerabilit(?:y|ies)\\b`,
  'i',
);
/** Matches a text that silences a report and repairs nothing: `Add CVE-2026-1 to the ignore file`. */
const silenced =
  /ignor(?:e|es|ed|ing)\b|\b(?:suppress|false positives?|allow-?list|exceptions? list|not affected|scan(?:s|ner|ning)?)\b/i;
/**
 * Most texts contain none of these words. Every body is searched, and V8 finds words in their usual letter case three
 * times as fast as words in any case.
 */
const hint =
  /[Cc][Vv][Ee]-|[Gg][Hh][Ss][Aa]-|GO-\d|RUSTSEC|PYSEC|[Ss]ecurity|SECURITY|[Vv]ulnerab|VULNERAB|[Cc]ommit from fork/;
const ids = `(?:${id.source}[,/]? ?){1,10}\\.?$`;
/** Matches a line that is only about public ids, such as `Fixes: CVE-2026-12345`. */
const onlyIds = new RegExp(
  `^(?:[-*] )?(?:(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|address(?:es)?|advisory|security):? )?${ids}`,
  'i',
);
/** Matches a line that refers to public ids. In a fix, it names the problem that is repaired: `Ref: CVE-2026-12345`. */
const refersToIds = new RegExp(`^(?:[-*] )?ref(?:s|erences?)?:? ${ids}`, 'i');
const longestLine = 300;
/** Matches the subject of a merge from the private fork of a security advisory. */
const fromPrivateFork = /^merge (?:pull request from ghsa(?:-[0-9a-z]{4}){3}|commit from fork)$/i;

/** Matches a trailer of a commit message: `Signed-off-by: …`, or any word with an e-mail address at the end. */
const trailer =
  /^(?:[a-z][a-z-]{0,60}-by:|change-id:|\(cherry picked from commit |[a-z][a-z-]{0,60}:[^<>]{0,200}<[^<>@\s]{1,200}@[^<>@\s]{1,200}>$)/i;

/** Returns the public ids of security problems in a text, in upper case, each once. */
export function advisoryIds(text: string): string[] {
  if (!hint.test(text)) return [];
  return [
    ...new Set((text.match(id) ?? []).map((found) => (/^ghsa/i.test(found) ? lowerTail(found) : found.toUpperCase()))),
  ];
}

/** GitHub writes these ids with a prefix in capitals and the rest in small letters. */
function lowerTail(found: string): string {
  return `GHSA${found.slice(4).toLowerCase()}`;
}

/** Whether a title or a statement of a release note says that a security problem is repaired. */
export function repairsSecurity(text: string): boolean {
  if (!hint.test(text) || silenced.test(text)) return false;
  return advisoryIds(text).length > 0 || beside.test(text);
}

/** Whether a title only silences the report of a security problem: `Add CVE-2026-12345 to the ignore file`. */
export function silencesReport(text: string): boolean {
  return (
    hint.test(text) && /ignor(?:e|es|ed|ing)\b|\bsuppress|\ballow-?list\b/i.test(text) && advisoryIds(text).length > 0
  );
}

/**
 * Whether a heading of a body names a security problem, or a line is only about one. Most bodies are searched once.
 * @param isFix whether the change is a fix. Only then does a line that refers to a problem count
 */
export function namesProblem(body: string, isFix: () => boolean): boolean {
  if (!hint.test(body)) return false;
  return securityHeadings(body) + advisoryLines(body) !== '' || (referenceLines(body) !== '' && isFix());
}

/** Returns the headings of a body that name a security problem. Text under other headings often only mentions one. */
export function securityHeadings(body: string): string {
  if (!hint.test(body)) return '';
  const headings = visibleProse(body)
    .split('\n')
    .filter((line) => /^ {0,3}#{1,6}[ \t]/.test(line) && repairsSecurity(line));
  return headings.join('\n');
}

/** Returns the lines of a body that are nothing but public ids, and the subject of a merge from a private fork. */
export function advisoryLines(body: string): string {
  return linesOf(body, (line) => onlyIds.test(line) || fromPrivateFork.test(line));
}

/** Returns the lines of a body that refer to public ids. They name a problem only if the change is a fix. */
export function referenceLines(body: string): string {
  return linesOf(body, (line) => refersToIds.test(line));
}

function linesOf(body: string, isWanted: (line: string) => boolean): string {
  if (!hint.test(body)) return '';
  const lines = visibleProse(body)
    .split('\n')
    .map((line) => line.trim());
  return lines.filter((line) => line.length <= longestLine && isWanted(line)).join('\n');
}

/**
 * Returns the line that names the change in the message of a merge from a private fork. Hosts write the subject of such
 * a merge themselves: `Merge commit from fork`. Trailers are skipped, because they name people. If no line is left,
 * returns a title that says only that the change is a security update. Returns undefined for any other message.
 */
export function privateChange(message: string): string | undefined {
  if (!/^merge (?:pull|commit) /i.test(message)) return undefined;
  const [subject = '', ...rest] = message.split(/\r?\n/);
  if (!fromPrivateFork.test(subject.trim())) return undefined;
  const lines = rest.map((line) => line.replace(/^\s*(?:[-*]\s+)?/, '').trim());
  return lines.find((line) => /[\p{L}\p{N}]/u.test(line) && !trailer.test(line)) ?? 'Security update';
}

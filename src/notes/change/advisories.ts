/**
 * Recognizes changes that repair a security problem: a public id such as `CVE-2026-12345`, or the word "security" next
 * to a word such as "fix" or "update".
 */
import { visibleProse } from './scan.ts';

const id =
  /\b(?:CVE-\d{4}-\d{4,7}|GHSA(?:-[0-9a-z]{4}){3}|GO-\d{4}-\d{4,6}|RUSTSEC-\d{4}-\d{4}|PYSEC-\d{4}-\d{1,6})\b/gi;
const fixes =
  'bump|fix(?:es|ed)?|updates?|upgrades?|releases?|patch(?:es|ed)?|hotfix(?:es)?|hardening|issues?|vulnerabilit(?:y|ies)|advisor(?:y|ies)|flaws?|bugs?|holes?';
const beside = new RegExp(
  `\\bsecurity[ -](?:${fixes})\\b|\\b(?:bump|fix(?:es|ed)?|update|upgrade|release|patch)(?: for| of)?:? security(?=\\s*(?:$|[.:,;)\\]]))|\\[security\\]|\\b(?:fix|patch|resolv|address|mitigat|remediat|prevent|clos)[a-z]{0,4}\\b[^.]{0,60}\\bvulnerabilit(?:y|ies)\\b`,
  'i',
);
/** Matches a text that silences a report and repairs nothing: `Add CVE-2026-1 to the ignore file`. */
const silenced =
  /ignor(?:e|es|ed|ing)\b|\b(?:suppress|false positives?|allow-?list|exceptions? list|not affected|scan(?:s|ner|ning)?)\b/i;
/** Most texts contain none of these words. */
const hint = /cve-|ghsa-|go-\d|rustsec|pysec|security|vulnerab/i;

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

/** Returns the headings of a body that name a security problem. Text under other headings often only mentions one. */
export function securityHeadings(body: string): string {
  if (!hint.test(body)) return '';
  const headings = visibleProse(body)
    .split('\n')
    .filter((line) => /^ {0,3}#{1,6}[ \t]/.test(line) && repairsSecurity(line));
  return headings.join('\n');
}

/**
 * Redaction, run before anything of a payload is written anywhere. Comments lose all personal data (spec
 * part 2); titles, bodies, commit messages and tag names lose secrets and whatever addresses a person. What a body
 * may rightly speak of, such as 10.0.0.1 or a test card, stays in it.
 */

import { findHostAddresses, findIpv4, findIpv6 } from './redact/addresses.ts';
import { findAttachments, findEmbeddedFiles } from './redact/attachments.ts';
import { findCards } from './redact/cards.ts';
import { findAuthorizations, findUrlCredentials } from './redact/credentials.ts';
import { findDisguised } from './redact/disguises.ts';
import { findEmails } from './redact/emails.ts';
import { findCommandSecrets, findCookies, findHashes } from './redact/lines.ts';
import { findDumpedValues, findSettings } from './redact/named-values.ts';
import { findAnnouncedPhones, findSeparatedPhones } from './redact/national-phones.ts';
import { findPrivateKeys } from './redact/pem.ts';
import { findInternationalPhones } from './redact/phones.ts';
import { findBesideReplaced } from './redact/recheck.ts';
import { type Finder, replaceSpans } from './redact/scan.ts';
import { findServiceTokens } from './redact/services.ts';
import { findHexTokens, findJsonWebTokens, findPrefixedTokens } from './redact/tokens.ts';
import { findTrailerAddresses } from './redact/trailers.ts';

export { coAuthors } from './redact/trailers.ts';

/** What kind of text is redacted: `comment` is a comment's or review's body, `text` everything else. */
export type RedactionScope = 'text' | 'comment';

// In this order: the longer and surer forms first, so that no later finder cuts into one of them.
const inText: readonly Finder[] = [
  findPrivateKeys,
  findEmbeddedFiles,
  findUrlCredentials,
  findAuthorizations,
  findJsonWebTokens,
  findPrefixedTokens,
  findServiceTokens,
  findCookies,
  findCommandSecrets,
  findHashes,
  findHexTokens,
  findDumpedValues,
  findSettings,
  findTrailerAddresses,
  findEmails,
  findInternationalPhones,
];

const inComment: readonly Finder[] = [
  findAttachments,
  ...inText,
  findIpv6,
  findIpv4,
  findHostAddresses,
  findCards,
  findSeparatedPhones,
  findAnnouncedPhones,
];

/** A replacement can uncover another find at its edge; real texts are at rest after one round, hostile ones soon. */
const mostRounds = 4;
/** Longer texts get one round, which costs up to 3 ms of 65,536 characters, and one more look at what it changed. */
const longText = 16_384;

/** Names of people, labels and branches come again with each event: those found clean are not looked at every time. */
const cleanTexts = { text: new Set<string>(), comment: new Set<string>() } as const;
const longestRemembered = 80;
const mostRemembered = 4096;

/**
 * The text without secrets and personal data, each replaced by a short word in brackets. Linear in the length of
 * the text; redacting the result again changes nothing, but for long texts made to need many rounds.
 */
export function redactText(text: string, scope: RedactionScope): string {
  if (text.length > longestRemembered) return redactAnew(text, scope);
  const remembered = cleanTexts[scope];
  if (remembered.has(text)) return text;
  const redacted = redactAnew(text, scope);
  if (redacted !== text) return redacted;
  if (remembered.size === mostRemembered) remembered.clear();
  remembered.add(text);
  return text;
}

function redactAnew(text: string, scope: RedactionScope): string {
  const finders = scope === 'comment' ? inComment : inText;
  // What only a reader sees comes last, since what stands in plain sight is told more surely.
  if (text.length > longText) return replaceFound(inOneRound(text, finders), finders, findDisguised);
  let redacted = inPlainSight(text, finders);
  for (let round = 0; round < mostRounds; round += 1) {
    const before = redacted;
    redacted = replaceFound(before, finders, findDisguised);
    if (redacted === before) break;
    redacted = inPlainSight(redacted, finders);
  }
  return redacted;
}

function replaceFound(text: string, finders: readonly Finder[], find: typeof findDisguised): string {
  return replaceSpans(text, find(text, finders));
}

function inOneRound(text: string, finders: readonly Finder[]): string {
  const redacted = finders.reduce((before, finder) => replaceSpans(before, finder(before)), text);
  return redacted === text ? text : replaceFound(redacted, finders, findBesideReplaced);
}

function inPlainSight(text: string, finders: readonly Finder[]): string {
  let redacted = text;
  // At rest once each finder has seen the text as it stands, so that the last round ends where the last change was.
  for (let step = 0, quiet = 0; quiet < finders.length && step < mostRounds * finders.length; step += 1) {
    const before = redacted;
    redacted = replaceSpans(redacted, (finders[step % finders.length] as Finder)(redacted));
    quiet = redacted === before ? quiet + 1 : 0;
  }
  return redacted;
}

/**
 * Redacts texts of a payload before they are written anywhere. Comments lose all personal data (spec part 2). Titles,
 * bodies, commit messages and tag names lose secrets, e-mail addresses and phone numbers. Other data stays, because a
 * title or body may be about such data, for example 10.0.0.1 or the number of a test card.
 */

import { findHostAddresses, findIpv4, findIpv6 } from './redact/addresses.ts';
import { findAttachments, findEmbeddedFiles } from './redact/attachments.ts';
import { findCards } from './redact/cards.ts';
import { findAuthorizations, findUrlCredentials } from './redact/credentials.ts';
import { findDisguised } from './redact/disguises.ts';
import { findEmails } from './redact/emails.ts';
import { commandWords, findCommandSecrets, findCookies, findHashes, hashWords } from './redact/lines.ts';
import { dumpWords, findDumpedValues, findSettings, settingWords } from './redact/named-values.ts';
import { findAnnouncedPhones, findSeparatedPhones } from './redact/national-phones.ts';
import { findPrivateKeys, keyWords } from './redact/pem.ts';
import { findInternationalPhones } from './redact/phones.ts';
import { findNextToReplaced } from './redact/recheck.ts';
import { type Finder, replaceSpans } from './redact/scan.ts';
import { findServiceTokens, findWordlessTokens } from './redact/services.ts';
import { findHexTokens, findJsonWebTokens, findPrefixedTokens, findShortPrefixedTokens } from './redact/tokens.ts';
import { findTrailerAddresses } from './redact/trailers.ts';
import { withWords } from './redact/words.ts';

export { coAuthors } from './redact/trailers.ts';

/** The kind of text to redact: `comment` for the body of a comment or review, `text` for everything else. */
export type RedactionScope = 'text' | 'comment';

// The order matters: finders of longer and more certain forms come first. In another order, a finder could replace only
// a part of a longer secret.
const inText: readonly Finder[] = [
  withWords(keyWords, findPrivateKeys),
  withWords(['base64'], findEmbeddedFiles),
  findUrlCredentials,
  withWords(['authorization', 'bearer', 'basic'], findAuthorizations),
  withWords(['eyJ'], findJsonWebTokens),
  findPrefixedTokens,
  findShortPrefixedTokens,
  findServiceTokens,
  findWordlessTokens,
  withWords(['cookie'], findCookies),
  withWords(commandWords, findCommandSecrets),
  withWords(hashWords, findHashes),
  withWords(['token', 'authorization'], findHexTokens),
  withWords(dumpWords, findDumpedValues),
  withWords(settingWords, findSettings),
  withWords(['-by'], findTrailerAddresses),
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

/**
 * Maximum rounds of redaction. A replacement can reveal another match at its edge. Real texts need one round, hostile
 * texts a few.
 */
const maxRounds = 4;
/**
 * A text longer than this number of characters is searched as a whole in one round only. This round takes up to 3 ms for
 * 65,536 characters. Then only the text near each placeholder, such as `[secret]`, is searched again.
 */
const longText = 16_384;

/**
 * Caches short texts that contain nothing to redact. The cache saves time, because names of people, labels and branches
 * recur in each event.
 */
const cleanTexts = { text: new Set<string>(), comment: new Set<string>() } as const;
const maxRememberedLength = 80;
const maxRemembered = 4096;

/**
 * Replaces each secret and each piece of personal data by a short word in brackets, such as `[secret]`. The time is
 * linear in the length of the text. Redacting the result again changes nothing, except for long texts that someone has
 * crafted so that they need many rounds of redaction.
 */
export function redactText(text: string, scope: RedactionScope): string {
  if (text.length > maxRememberedLength) return redactUncached(text, scope);
  const remembered = cleanTexts[scope];
  if (remembered.has(text)) return text;
  const redacted = redactUncached(text, scope);
  if (redacted !== text) return redacted;
  if (remembered.size === maxRemembered) remembered.clear();
  remembered.add(text);
  return text;
}

function redactUncached(text: string, scope: RedactionScope): string {
  const finders = scope === 'comment' ? inComment : inText;
  // Disguised matches are searched for last, since plain matches are recognized with more certainty.
  if (text.length > longText) return replaceFound(inOneRound(text, finders), finders, findDisguised);
  let redacted = inPlainSight(text, finders);
  for (let round = 0; round < maxRounds; round += 1) {
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
  return redacted === text ? text : replaceFound(redacted, finders, findNextToReplaced);
}

function inPlainSight(text: string, finders: readonly Finder[]): string {
  let redacted = text;
  // The loop ends as soon as all finders, one after another, have left the text unchanged. This can happen in the
  // middle of a round.
  for (let step = 0, quiet = 0; quiet < finders.length && step < maxRounds * finders.length; step += 1) {
    const before = redacted;
    redacted = replaceSpans(redacted, (finders[step % finders.length] as Finder)(redacted));
    quiet = redacted === before ? quiet + 1 : 0;
  }
  return redacted;
}

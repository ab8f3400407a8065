/**
 * Redaction, run before anything of a payload is written anywhere. Comments lose all personal data (spec
 * part 2); titles, bodies, commit messages and tag names lose secrets and whatever addresses a person. What a body
 * may rightly speak of, such as 10.0.0.1 or a test card, stays in it.
 */

import { findIpv4, findIpv6 } from './redact/addresses.ts';
import { findAttachments } from './redact/attachments.ts';
import { findCards } from './redact/cards.ts';
import { findAuthorizations, findUrlCredentials } from './redact/credentials.ts';
import { findEmails } from './redact/emails.ts';
import { findDumpedValues, findSettings } from './redact/named-values.ts';
import { findAnnouncedPhones, findSeparatedPhones } from './redact/national-phones.ts';
import { findPrivateKeys } from './redact/pem.ts';
import { findInternationalPhones } from './redact/phones.ts';
import { type Finder, replaceSpans } from './redact/scan.ts';
import { findHexTokens, findJsonWebTokens, findPrefixedTokens } from './redact/tokens.ts';
import { findTrailerAddresses } from './redact/trailers.ts';

export { coAuthors } from './redact/trailers.ts';

/** What kind of text is redacted: `comment` is a comment's or review's body, `text` everything else. */
export type RedactionScope = 'text' | 'comment';

// In this order: the longer and surer forms first, so that no later finder cuts into one of them.
const inText: readonly Finder[] = [
  findPrivateKeys,
  findUrlCredentials,
  findAuthorizations,
  findJsonWebTokens,
  findPrefixedTokens,
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
  findCards,
  findSeparatedPhones,
  findAnnouncedPhones,
];

/** A replacement can uncover another find at its edge; real texts are at rest after one round, hostile ones soon. */
const mostRounds = 4;
/** Longer texts get one more look at what the first round changed, since a round costs up to 2 ms of 65,536 characters. */
const longText = 16_384;

/**
 * The text without secrets and personal data, each replaced by a short word in brackets. Linear in the length of
 * the text; redacting the result again changes nothing, but for long texts made to need many rounds.
 */
export function redactText(text: string, scope: RedactionScope): string {
  const finders = scope === 'comment' ? inComment : inText;
  let redacted = text;
  // At rest once each finder has seen the text as it stands, so that the last round ends where the last change was.
  for (let step = 0, quiet = 0; quiet < finders.length && step < mostRounds * finders.length; step += 1) {
    const before = redacted;
    redacted = replaceSpans(redacted, (finders[step % finders.length] as Finder)(redacted));
    const counts = redacted !== before && (step < finders.length || text.length <= longText);
    quiet = counts ? 0 : quiet + 1;
  }
  return redacted;
}

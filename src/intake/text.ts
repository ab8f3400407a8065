/**
 * Small pieces that every payload is made of, brought into the journal's form: texts, names, addresses, times, people. Texts
 * leave here redacted and no longer than is kept.
 */
import { type HostLabels, type HostUser, isHostLogin } from '../protocol/host.ts';
import type { Author } from '../protocol/stored.ts';
import { type RedactionScope, redactText } from './redact.ts';

/** Longest texts kept, in UTF-16 units: at least twice what hosts take. */
export const longest = { title: 1024, body: 131_072, message: 16_384, label: 256, url: 2048 } as const;

/** Text that every store and reader takes: no NUL, no lone surrogates, LF line ends. */
export function clean(text: string): string {
  const ends = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const bare = ends.includes('\0') ? ends.replaceAll('\0', '') : ends;
  return bare.isWellFormed() ? bare : bare.toWellFormed();
}

/** What is looked at behind the end of what is kept: the longest secret, a private key, and some more. */
const margin = 32_768;

/** A cleaned text of which at most `most` and the margin are left. */
export function within(text: string, most: number): string {
  const limit = most + margin;
  if (text.length <= limit) return clean(text);
  // Cut between lines or words: half of a secret could not be told from any other word.
  const [line, space] = [text.lastIndexOf('\n', limit), text.lastIndexOf(' ', limit)];
  return clean(text.slice(0, line > most ? line : Math.max(space, most)));
}

/** A text without secrets and personal data, cut at `most` UTF-16 units. */
export function redacted(text: string, most: number, scope: RedactionScope = 'text'): string {
  const kept = redactText(within(text, most), scope);
  return kept.length > most ? kept.slice(0, most).toWellFormed() : kept;
}

/** A name given by people, to a branch, a tag or an account: it can hold a secret as any text can. */
export function name(text: string): string {
  return redactText(clean(text), 'text');
}

const webAddress = /^https?:\/\/[^\s/@\\"<>]{1,255}(?:\/[^\s\\"<>]*)?$/i;

/** The address a payload names when it is one of the web and holds nothing else, else the derived one. */
export function address(url: string | null | undefined, derived: string): string {
  if (!url || url.length > longest.url || !webAddress.test(url) || name(url) !== url) return derived;
  return url;
}

/** The end of the year 9999: what lies beyond has no place in an ISO 8601 text of the usual length. */
const latestTime = 253_402_300_799_999;

/** How far a host's clock may be ahead of ours, in milliseconds. */
export const mostAheadMs = 300_000;

/**
 * A host's time as a UTC instant: ISO 8601 with any offset, or seconds since 1970.
 * @param now time of receipt: a later time is capped at five minutes after it, as whoever signs a delivery can write any
 *   date, and the latest one decides
 */
export function time(value: string | number | null | undefined, now = latestTime): number | null {
  if (value == null) return null;
  const instant = typeof value === 'number' ? value * 1000 : Date.parse(value);
  return instant >= 0 && instant <= latestTime ? Math.min(instant, now + mostAheadMs) : null;
}

/** The whole list of labels; nothing when the payload does not say. */
export function labels(source: { labels?: HostLabels }): { labels?: string[] } {
  if (source.labels === undefined) return {};
  return { labels: (source.labels ?? []).map((label) => labelName(label.name)) };
}

/** A label's name, cut like a text: no host allows names near this long. */
export function labelName(text: string): string {
  return redacted(text, longest.label);
}

/** Who did it; `ghost` when the account is gone, or has a name that no host gives. */
export function author(user: HostUser | undefined): Author {
  if (!user || !isHostLogin(user.login)) return { login: 'ghost', bot: false };
  return { login: name(user.login), bot: user.type === 'Bot' || user.login.endsWith('[bot]') };
}

/** The login that a commit's author has on the host; null for none, and for a name that no host gives. */
export function loginOf(text: string | null | undefined): string | null {
  return text && isHostLogin(text) ? name(text) : null;
}

/**
 * Converts the basic values of payloads to the journal's form: texts, names, addresses, times and people. Returned
 * texts are redacted and cut to the maximum length that is kept.
 */
import { maxAheadMs } from '../foundation/host-clock.ts';
import { type HostLabels, type HostUser, isHostLogin } from '../protocol/host.ts';
import type { Author } from '../protocol/stored.ts';
import { type RedactionScope, redactText } from './redact.ts';

/** Maximum lengths of the texts that are kept, in UTF-16 units: at least twice what hosts accept. */
export const maxLengths = { title: 1024, body: 131_072, message: 16_384, label: 256, url: 2048 } as const;

/** Makes a text valid for every store and reader: no NUL, no lone surrogates, LF line ends. */
export function clean(text: string): string {
  const ends = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const bare = ends.includes('\0') ? ends.replaceAll('\0', '') : ends;
  return bare.isWellFormed() ? bare : bare.toWellFormed();
}

/**
 * Number of characters after the kept part that are also searched for secrets. A secret can begin in the kept part and
 * end after it. This margin is longer than the longest secret, a private key. So the whole secret is found.
 */
const margin = 32_768;

/** Cleans a text and cuts it after at most `maxLength` + `margin` characters. */
export function within(text: string, maxLength: number): string {
  const limit = maxLength + margin;
  if (text.length <= limit) return clean(text);
  // The text is cut between lines or words, because half of a secret could not be recognized.
  const [line, space] = [text.lastIndexOf('\n', limit), text.lastIndexOf(' ', limit)];
  return clean(text.slice(0, line > maxLength ? line : Math.max(space, maxLength)));
}

/** Returns a text without secrets and personal data, cut at `maxLength` UTF-16 units. */
export function redacted(text: string, maxLength: number, scope: RedactionScope = 'text'): string {
  const kept = redactText(within(text, maxLength), scope);
  return kept.length > maxLength ? kept.slice(0, maxLength).toWellFormed() : kept;
}

/**
 * Redacts a name that people gave to a branch, a tag or an account. Such a name can contain a secret, as any other text
 * can.
 */
export function name(text: string): string {
  return redactText(clean(text), 'text');
}

const webAddress = /^https?:\/\/[^\s/@\\"<>]{1,255}(?:\/[^\s\\"<>]*)?$/i;

/**
 * Returns the payload's address `url` if it is a plain web address that contains nothing to redact. In all other cases,
 * returns the address `derived`.
 */
export function address(url: string | null | undefined, derived: string): string {
  if (url === derived) return derived;
  if (!url || url.length > maxLengths.url || !webAddress.test(url) || name(url) !== url) return derived;
  return url;
}

/** The end of the year 9999. Later times do not fit into an ISO 8601 text of the usual length. */
const latestTime = 253_402_300_799_999;

/**
 * Converts a host's time to a UTC instant. The host sends ISO 8601 with any offset, or seconds since 1970.
 * @param now time of receipt. A host's time more than five minutes after `now` becomes five minutes after `now`.
 *   Without this limit, data with a date in the far future could never be replaced, because the data with the latest
 *   time is kept.
 */
export function time(value: string | number | null | undefined, now = latestTime): number | null {
  if (value == null) return null;
  const instant = typeof value === 'number' ? value * 1000 : Date.parse(value);
  return instant >= 0 && instant <= latestTime ? Math.min(instant, now + maxAheadMs) : null;
}

/** Returns the complete list of labels; an empty object when the payload has no such field. */
export function labels(source: { labels?: HostLabels }): { labels?: string[] } {
  if (source.labels === undefined) return {};
  return { labels: (source.labels ?? []).map((label) => labelName(label.name)) };
}

/** Returns a label's name, cut at a maximum length far above the limit of any host. */
export function labelName(text: string): string {
  return redacted(text, maxLengths.label);
}

/**
 * Returns the author. The login becomes `ghost` when the account was deleted, or when no host allows the account's
 * name.
 */
export function author(user: HostUser | undefined): Author {
  if (!user || !isHostLogin(user.login)) return { login: 'ghost', bot: false };
  return { login: name(user.login), bot: user.type === 'Bot' || user.login.endsWith('[bot]') };
}

/**
 * Returns a commit author's login on the host. Returns null if the commit has no login, or if the login does not have
 * the form that hosts use.
 */
export function loginOf(text: string | null | undefined): string | null {
  return text && isHostLogin(text) ? name(text) : null;
}

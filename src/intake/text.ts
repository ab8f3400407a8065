/**
 * Small pieces that every payload is made of, brought into the journal's form: texts, times, labels, people.
 */
import type { HostLabels, HostUser } from '../protocol/host.ts';
import type { Author } from '../protocol/stored.ts';

/** Text that every store and reader takes: no NUL, no lone surrogates, LF line ends. */
export function clean(text: string): string {
  const ends = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const bare = ends.includes('\0') ? ends.replaceAll('\0', '') : ends;
  return bare.isWellFormed() ? bare : bare.toWellFormed();
}

/** The end of the year 9999: what lies beyond has no place in an ISO 8601 text of the usual length. */
const latestTime = 253_402_300_799_999;

/** A host's time as a UTC instant: ISO 8601 with any offset, or seconds since 1970. */
export function time(value: string | number | null | undefined): number | null {
  if (value == null) return null;
  const instant = typeof value === 'number' ? value * 1000 : Date.parse(value);
  return instant >= 0 && instant <= latestTime ? instant : null;
}

/** The whole list of labels; nothing when the payload does not say. */
export function labels(source: { labels?: HostLabels }): { labels?: string[] } {
  if (source.labels === undefined) return {};
  return { labels: (source.labels ?? []).map((label) => clean(label.name)) };
}

/** Who did it; `ghost` when the account is gone. */
export function author(user: HostUser | undefined): Author {
  if (!user) return { login: 'ghost', bot: false };
  return { login: clean(user.login), bot: user.type === 'Bot' || user.login.endsWith('[bot]') };
}

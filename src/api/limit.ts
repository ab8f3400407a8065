/**
 * Enforces the API limits (spec part 8). Each limit has a fixed window that begins with its first request. A key has
 * windows of a minute and an hour. An organization has windows of a minute, an hour and a day. A request counts in all
 * its windows or in none. The windows are in memory. Their counts are exact, because a node has only one gateway. After
 * a restart, the daily window continues with the count in the directory partition (`docs/architecture.md` decision 27).
 */
import type { Tier } from '../../config/tiers.ts';
import { ServiceError } from '../foundation/errors.ts';

/** The key and organization of a request, and the tier that sets their limits. */
export interface Limited {
  keyId: string;
  organization: string;
  tier: Tier;
}

/** The result of counting one request. */
export interface Taken {
  /**
   * Headers that describe the window with the fewest requests left. The headers are a flat list of names and values.
   * The list is empty if the tier sets no limit.
   */
  headers: readonly string[];
  /** Start of the organization's daily window, in milliseconds since 1970; 0 without a daily limit. */
  daySince: number;
}

interface Rule {
  name: string;
  unit: keyof typeof periods;
  count: number;
  per: 'key' | 'organization';
}

/** One window. `started` is its start on a monotonic clock; `since` is the same moment on the wall clock. */
interface Window {
  started: number;
  since: number;
  used: number;
}

/**
 * The rules of a tier, in the order minute, hour, day. Rules without a limit are left out. For the same period, the
 * rule per key precedes the rule per organization.
 */
interface Rules {
  list: readonly Rule[];
  policy: string;
}

const periods = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const unlimited: Taken = { headers: [], daySince: 0 };

/** The holder of a limit per key. Requests with a session count for the session instead of the key. */
type Holder = 'key' | 'session';
const words: Readonly<Record<Holder, Record<Rule['per'], string>>> = {
  key: { key: 'per API key', organization: 'per organization' },
  session: { key: 'per session', organization: 'for all sessions of an organization' },
};

export class ApiLimit {
  private readonly holder: Holder;
  private readonly rules = new WeakMap<Tier, Rules>();
  private readonly windows = {
    minute: new Map<string, Window>(),
    hour: new Map<string, Window>(),
    day: new Map<string, Window>(),
  };
  /**
   * The windows that apply to the current request, in the order of the rules of its tier. The list is reused, so that
   * no new list is created per request.
   */
  private readonly found: Window[] = [];

  constructor(holder: Holder = 'key') {
    this.holder = holder;
  }

  /**
   * Counts one request in all windows that apply to it. If one of these windows is full, throws and counts nothing.
   * @param now milliseconds of a monotonic clock
   * @throws ServiceError `rateLimited` with the seconds to wait
   */
  take(limited: Limited, now: number, wallClock: number): Taken {
    const rules = this.rulesOf(limited.tier);
    const { list } = rules;
    if (list.length === 0) return unlimited;
    const windows = this.find(list, limited, now, wallClock);
    const full = latestFull(list, windows);
    if (full >= 0) throw exceeded(list[full] as Rule, endOf(list, windows, full) - now, this.holder);
    let daySince = 0;
    for (let i = 0; i < list.length; i++) {
      const window = windows[i] as Window;
      window.used += 1;
      if ((list[i] as Rule).unit === 'day') daySince = window.since;
    }
    return { headers: toHeaders(rules, windows, now, wallClock), daySince };
  }

  /**
   * Returns the headers with the number of requests left, as a flat list of names and values. The list is empty without
   * limits. This call does not count as a request.
   */
  headers(limited: Limited, now: number, wallClock: number): readonly string[] {
    const rules = this.rulesOf(limited.tier);
    if (rules.list.length === 0) return [];
    return toHeaders(rules, this.find(rules.list, limited, now, wallClock), now, wallClock);
  }

  /** Restores an organization's daily window with the count that an earlier run of the gateway stored. */
  seedDay(organization: string, day: { since: number; used: number }, now: number, wallClock: number): void {
    // A stored start in the future means that the clock was ahead when the window began. In this case, the window is
    // treated as if it had just begun.
    const since = Math.min(day.since, wallClock);
    this.windows.day.set(organization, { started: now - (wallClock - since), since: day.since, used: day.used });
  }

  /** Removes windows that have ended. */
  sweep(now: number): void {
    for (const unit of ['minute', 'hour', 'day'] as const) {
      const windows = this.windows[unit];
      for (const [owner, { started }] of windows) if (started + periods[unit] <= now) windows.delete(owner);
    }
  }

  private rulesOf(tier: Tier): Rules {
    let rules = this.rules.get(tier);
    if (!rules) {
      rules = toRules(tier, this.holder);
      this.rules.set(tier, rules);
    }
    return rules;
  }

  private find(list: readonly Rule[], limited: Limited, now: number, wallClock: number): readonly Window[] {
    for (let i = 0; i < list.length; i++) this.found[i] = this.window(list[i] as Rule, limited, now, wallClock);
    return this.found;
  }

  private window({ unit, per }: Rule, limited: Limited, now: number, wallClock: number): Window {
    const windows = this.windows[unit];
    const owner = per === 'key' ? limited.keyId : limited.organization;
    const known = windows.get(owner);
    // A window begins with its first accepted request. As long as all requests are refused, no window begins.
    if (known && known.used > 0 && known.started + periods[unit] > now) return known;
    const fresh = { started: now, since: Math.floor(wallClock), used: 0 };
    windows.set(owner, fresh);
    return fresh;
  }
}

function toRules({ apiPerMinute, apiPerHour, apiPerDay, apiOrgFactor = 0 }: Tier, holder: Holder): Rules {
  const all: Rule[] = [
    { name: `${holder}-min`, unit: 'minute', count: apiPerMinute, per: 'key' },
    { name: 'org-min', unit: 'minute', count: apiPerMinute * apiOrgFactor, per: 'organization' },
    { name: `${holder}-hour`, unit: 'hour', count: apiPerHour, per: 'key' },
    { name: 'org-hour', unit: 'hour', count: apiPerHour * apiOrgFactor, per: 'organization' },
    { name: 'org-day', unit: 'day', count: apiPerDay, per: 'organization' },
  ];
  const list = all.filter(({ count }) => count > 0);
  const policy = list.map(({ name, count, unit }) => `"${name}";q=${count};w=${periods[unit] / 1000}`).join(', ');
  return { list, policy };
}

/** Returns when a window ends, on the monotonic clock. */
function endOf(list: readonly Rule[], windows: readonly Window[], i: number): number {
  return (windows[i] as Window).started + periods[(list[i] as Rule).unit];
}

/** Returns the index of the full window that ends last; -1 when no window is full. */
function latestFull(list: readonly Rule[], windows: readonly Window[]): number {
  let full = -1;
  for (let i = 0; i < list.length; i++) {
    if ((windows[i] as Window).used < (list[i] as Rule).count) continue;
    if (full < 0 || endOf(list, windows, i) > endOf(list, windows, full)) full = i;
  }
  return full;
}

/**
 * Returns the index of the window with the fewest requests left. Of several such windows, the one that ends last is
 * chosen. Example: when the minute and the hour are both used up, the next request is accepted only after the end of
 * the hour.
 */
function tightest(list: readonly Rule[], windows: readonly Window[]): number {
  let lowest = 0;
  for (let i = 1; i < list.length; i++) {
    const more = leftOf(list, windows, i) - leftOf(list, windows, lowest);
    if (more < 0 || (more === 0 && endOf(list, windows, i) > endOf(list, windows, lowest))) lowest = i;
  }
  return lowest;
}

function leftOf(list: readonly Rule[], windows: readonly Window[], i: number): number {
  return Math.max(0, (list[i] as Rule).count - (windows[i] as Window).used);
}

function toHeaders({ list, policy }: Rules, windows: readonly Window[], now: number, wallClock: number): string[] {
  const i = tightest(list, windows);
  const { count, name } = list[i] as Rule;
  const left = leftOf(list, windows, i);
  const waitMs = endOf(list, windows, i) - now;
  return [
    'X-RateLimit-Limit',
    String(count),
    'X-RateLimit-Remaining',
    String(left),
    'X-RateLimit-Reset',
    String(Math.ceil((wallClock + waitMs) / 1000)),
    'RateLimit-Policy',
    policy,
    'RateLimit',
    `"${name}";r=${left};t=${seconds(waitMs)}`,
  ];
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

function exceeded({ count, unit, per }: Rule, waitMs: number, holder: Holder): ServiceError {
  const retryAfter = seconds(waitMs);
  const message = `The limit of ${count} requests per ${unit} ${words[holder][per]} is exceeded. Wait ${retryAfter} seconds.`;
  return new ServiceError('rateLimited', message, { retryAfter });
}

/**
 * Enforces the API limits (spec part 8). Each limit has a fixed window that begins with its first request. A key has
 * windows of a minute and an hour. An organization has windows of a minute, an hour and a day. A request counts in all
 * its windows or in none. The windows are in memory. With several gateways, `homed-limit.ts` lets one of them count.
 * After a restart, the daily window continues with the count in the directory partition (`docs/architecture.md`
 * decision 27).
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

/** Refuses a request over the limit. `headers` describe the window that is used up, as in {@link Taken}. */
export class LimitReachedError extends ServiceError {
  readonly headers: readonly string[];

  constructor(message: string, retryAfter: number, headers: readonly string[]) {
    super('rateLimited', message, { retryAfter });
    this.headers = headers;
  }
}

/**
 * The result of counting one request, as gateways send it to each other. `rule` names the rule whose window has the
 * fewest requests left, `left` is their number, and `waitMs` the time until this window ends. If the request is refused,
 * this window is used up.
 */
export interface Counted {
  isRefused: boolean;
  rule: string;
  left: number;
  waitMs: number;
  daySince: number;
}

const periods = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const unlimited: Taken = { headers: [], daySince: 0 };
const uncounted: Counted = { isRefused: false, rule: '', left: 0, waitMs: 0, daySince: 0 };

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
   * @throws LimitReachedError with the seconds to wait
   */
  take(limited: Limited, now: number, wallClock: number): Taken {
    return this.taken(limited, this.count(limited, now, wallClock), wallClock);
  }

  /** Counts one request as {@link take} does, but returns the result in the form that gateways send to each other. */
  count(limited: Limited, now: number, wallClock: number): Counted {
    const { list } = this.rulesOf(limited.tier);
    if (list.length === 0) return uncounted;
    const windows = this.find(list, limited, now, wallClock);
    const full = latestFull(list, windows);
    // A window that is used up has no requests left, so it is also the one that the headers describe.
    if (full >= 0) return counted(list, windows, full, now, true);
    for (let i = 0; i < list.length; i++) (windows[i] as Window).used += 1;
    return counted(list, windows, tightest(list, windows), now, false);
  }

  /**
   * Returns the result of a request that was counted here or in another gateway.
   * @throws LimitReachedError with the seconds to wait
   */
  taken(limited: Limited, { isRefused, rule: name, left, waitMs, daySince }: Counted, wallClock: number): Taken {
    const { list, policy } = this.rulesOf(limited.tier);
    // While the settings of two machines differ, the other one can have rules that this one does not have.
    const rule = list.find((each) => each.name === name) ?? list[0];
    if (!rule) return unlimited;
    const headers = headersOf(rule, policy, left, waitMs, wallClock);
    if (!isRefused) return { headers, daySince };
    const { count, unit, per } = rule;
    const retryAfter = seconds(waitMs);
    const message = `The limit of ${count} requests per ${unit} ${words[this.holder][per]} is exceeded. Wait ${retryAfter} seconds.`;
    throw new LimitReachedError(message, retryAfter, headers);
  }

  /** Whether a tier sets no limit. */
  isUnlimited(tier: Tier): boolean {
    return this.rulesOf(tier).list.length === 0;
  }

  /**
   * Restores an organization's daily window with the count that the directory has. A later window, or a higher count of
   * the same window, stays.
   */
  seedDay(organization: string, day: { since: number; used: number }, now: number, wallClock: number): void {
    const known = this.windows.day.get(organization);
    if (known && (known.since > day.since || (known.since === day.since && known.used > day.used))) return;
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

function counted(
  list: readonly Rule[],
  windows: readonly Window[],
  i: number,
  now: number,
  isRefused: boolean,
): Counted {
  const { name: rule } = list[i] as Rule;
  // A day is the last rule.
  const isPerDay = list.at(-1)?.unit === 'day';
  const daySince = isPerDay ? (windows[list.length - 1] as Window).since : 0;
  return { isRefused, rule, left: leftOf(list, windows, i), waitMs: endOf(list, windows, i) - now, daySince };
}

function headersOf({ count, name }: Rule, policy: string, left: number, waitMs: number, wallClock: number): string[] {
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

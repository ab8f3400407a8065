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
 * The state of the windows of a request after requests of another gateway were counted. `rule` is the number of the rule
 * whose window has the fewest requests left, `left` their number, and `waitMs` the time until this window ends.
 */
export interface LimitState {
  rule: number;
  left: number;
  waitMs: number;
  daySince: number;
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
   * @throws LimitReachedError with the seconds to wait
   */
  take(limited: Limited, now: number, wallClock: number): Taken {
    const rules = this.rulesOf(limited.tier);
    const { list } = rules;
    if (list.length === 0) return unlimited;
    const windows = this.find(list, limited, now, wallClock);
    const full = latestFull(list, windows);
    if (full >= 0) {
      // A window that is used up has no requests left, so it is also the one that the headers describe.
      const waitMs = endOf(list, windows, full) - now;
      throw this.exceeded(rules, { rule: full, left: 0, waitMs, daySince: 0 }, wallClock);
    }
    let daySince = 0;
    for (let i = 0; i < list.length; i++) {
      const window = windows[i] as Window;
      window.used += 1;
      if ((list[i] as Rule).unit === 'day') daySince = window.since;
    }
    return { headers: headersOf(rules, stateOf(list, windows, now, daySince), wallClock), daySince };
  }

  /** Whether a tier sets no limit. */
  isUnlimited(tier: Tier): boolean {
    return this.rulesOf(tier).list.length === 0;
  }

  /** Whether so many requests fit into all their windows. */
  fits(limited: Limited, count: number, now: number, wallClock: number): boolean {
    const { list } = this.rulesOf(limited.tier);
    return roomOf(list, this.find(list, limited, now, wallClock)) >= count;
  }

  /**
   * Counts requests of another gateway, as many as fit. While less than half of each window is used, counts up to `lend`
   * more, which the other gateway may use for later requests. `undo` takes back counts that it did not use.
   */
  grant(limited: Limited, count: number, lend: number, now: number, wallClock: number) {
    const { list } = this.rulesOf(limited.tier);
    const windows = [...this.find(list, limited, now, wallClock)].slice(0, list.length);
    const add = (more: number): void => {
      for (const window of windows) window.used += more;
    };
    const granted = Math.max(0, Math.min(count, roomOf(list, windows)));
    add(granted);
    const spare = granted < count ? 0 : Math.max(0, Math.min(lend, halfRoomOf(list, windows)));
    add(spare);
    const day = list.findIndex(({ unit }) => unit === 'day');
    const state = stateOf(list, windows, now, windows[day]?.since ?? 0);
    const ms = Math.min(...list.map((_, i) => endOf(list, windows, i) - now));
    return { granted, spare, ms, facts: state, undo: (unused: number) => add(-unused) };
  }

  /** Describes a state that another gateway has sent, as the reply to a counted request. */
  taken(limited: Limited, state: LimitState, wallClock: number): Taken {
    return { headers: headersOf(this.rulesOf(limited.tier), state, wallClock), daySince: state.daySince };
  }

  /** Returns the refusal of a request for which another gateway has no requests left. */
  refusal(limited: Limited, state: LimitState, wallClock: number): LimitReachedError {
    return this.exceeded(this.rulesOf(limited.tier), state, wallClock);
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

  private exceeded(rules: Rules, state: LimitState, wallClock: number): LimitReachedError {
    const { count, unit, per } = rules.list[state.rule] as Rule;
    const retryAfter = seconds(state.waitMs);
    const message = `The limit of ${count} requests per ${unit} ${words[this.holder][per]} is exceeded. Wait ${retryAfter} seconds.`;
    return new LimitReachedError(message, retryAfter, headersOf(rules, state, wallClock));
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

/** Returns how many requests fit into all windows. */
function roomOf(list: readonly Rule[], windows: readonly Window[]): number {
  return list.reduce((room, { count }, i) => Math.min(room, count - (windows[i] as Window).used), Infinity);
}

/** Returns how many requests fit into the first half of all windows. */
function halfRoomOf(list: readonly Rule[], windows: readonly Window[]): number {
  return list.reduce(
    (room, { count }, i) => Math.min(room, Math.floor(count / 2) - (windows[i] as Window).used),
    Infinity,
  );
}

function stateOf(list: readonly Rule[], windows: readonly Window[], now: number, daySince: number): LimitState {
  const rule = tightest(list, windows);
  return { rule, left: leftOf(list, windows, rule), waitMs: endOf(list, windows, rule) - now, daySince };
}

function headersOf({ list, policy }: Rules, { rule, left, waitMs }: LimitState, wallClock: number): string[] {
  const { count, name } = list[rule] as Rule;
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

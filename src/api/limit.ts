/**
 * API limits (spec part 8): fixed windows that begin with the first request, a minute and an hour per key and per organisation,
 * a day per organisation; a request takes from all of them or from none. In memory, exact for the one gateway of a node; the day is
 * taken up from the directory after a restart (`docs/architecture.md` decision 27).
 */
import type { Tier } from '../../config/tiers.ts';
import { ServiceError } from '../foundation/errors.ts';

/** Whose request it is and by which tier it is limited. */
export interface Limited {
  keyId: string;
  organisation: string;
  tier: Tier;
}

/** What a request took. */
export interface Taken {
  /** Headers of the window with the fewest requests left, as flat pairs; none without limits. */
  headers: readonly string[];
  /** Beginning of the organisation's day, in milliseconds since 1970; 0 without a daily limit. */
  daySince: number;
}

interface Rule {
  name: string;
  unit: keyof typeof periods;
  count: number;
  per: 'key' | 'organisation';
}

/** `started` is of a clock that does not jump, `since` the same moment of the wall clock. */
interface Window {
  started: number;
  since: number;
  used: number;
}

/** The rules of a tier, in the order minute, hour, day, of each the key's first, without those that do not limit. */
interface Rules {
  list: readonly Rule[];
  policy: string;
}

const periods = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const unlimited: Taken = { headers: [], daySince: 0 };

export class ApiLimit {
  private readonly rules = new WeakMap<Tier, Rules>();
  private readonly windows = {
    minute: new Map<string, Window>(),
    hour: new Map<string, Window>(),
    day: new Map<string, Window>(),
  };
  /** The windows of the request at hand, in the order of its rules: a list for each would be garbage. */
  private readonly found: Window[] = [];

  /**
   * Takes one request.
   * @param now milliseconds of a clock that does not jump
   * @throws ServiceError `rateLimited` with the seconds to wait
   */
  take(limited: Limited, now: number, wallClock: number): Taken {
    const rules = this.rulesOf(limited.tier);
    const { list } = rules;
    if (list.length === 0) return unlimited;
    const windows = this.find(list, limited, now, wallClock);
    const full = latestFull(list, windows);
    if (full >= 0) throw exceeded(list[full] as Rule, endOf(list, windows, full) - now);
    let daySince = 0;
    for (let i = 0; i < list.length; i++) {
      const window = windows[i] as Window;
      window.used += 1;
      if ((list[i] as Rule).unit === 'day') daySince = window.since;
    }
    return { headers: toHeaders(rules, windows, now, wallClock), daySince };
  }

  /** Headers that tell how much is left, as flat pairs; none without limits. */
  headers(limited: Limited, now: number, wallClock: number): readonly string[] {
    const rules = this.rulesOf(limited.tier);
    if (rules.list.length === 0) return [];
    return toHeaders(rules, this.find(rules.list, limited, now, wallClock), now, wallClock);
  }

  /** Takes up an organisation's day where an earlier process left it. */
  seedDay(organisation: string, day: { since: number; used: number }, now: number, wallClock: number): void {
    // A day that seems to begin later was counted under a clock that ran ahead.
    const since = Math.min(day.since, wallClock);
    this.windows.day.set(organisation, { started: now - (wallClock - since), since: day.since, used: day.used });
  }

  /** Forgets windows that have ended. */
  sweep(now: number): void {
    for (const unit of ['minute', 'hour', 'day'] as const) {
      const windows = this.windows[unit];
      for (const [owner, { started }] of windows) if (started + periods[unit] <= now) windows.delete(owner);
    }
  }

  private rulesOf(tier: Tier): Rules {
    let rules = this.rules.get(tier);
    if (!rules) {
      rules = toRules(tier);
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
    const owner = per === 'key' ? limited.keyId : limited.organisation;
    const known = windows.get(owner);
    // A window that only saw refusals has not begun.
    if (known && known.used > 0 && known.started + periods[unit] > now) return known;
    const fresh = { started: now, since: Math.floor(wallClock), used: 0 };
    windows.set(owner, fresh);
    return fresh;
  }
}

function toRules({ apiPerMinute, apiPerHour, apiPerDay, apiOrgFactor = 0 }: Tier): Rules {
  const all: Rule[] = [
    { name: 'key-min', unit: 'minute', count: apiPerMinute, per: 'key' },
    { name: 'org-min', unit: 'minute', count: apiPerMinute * apiOrgFactor, per: 'organisation' },
    { name: 'key-hour', unit: 'hour', count: apiPerHour, per: 'key' },
    { name: 'org-hour', unit: 'hour', count: apiPerHour * apiOrgFactor, per: 'organisation' },
    { name: 'org-day', unit: 'day', count: apiPerDay, per: 'organisation' },
  ];
  const list = all.filter(({ count }) => count > 0);
  const policy = list.map(({ name, count, unit }) => `"${name}";q=${count};w=${periods[unit] / 1000}`).join(', ');
  return { list, policy };
}

/** When a window ends, by the clock that does not jump. */
function endOf(list: readonly Rule[], windows: readonly Window[], i: number): number {
  return (windows[i] as Window).started + periods[(list[i] as Rule).unit];
}

/** Of the windows with nothing left the one that ends last; -1 for none. */
function latestFull(list: readonly Rule[], windows: readonly Window[]): number {
  let full = -1;
  for (let i = 0; i < list.length; i++) {
    if ((windows[i] as Window).used < (list[i] as Rule).count) continue;
    if (full < 0 || endOf(list, windows, i) > endOf(list, windows, full)) full = i;
  }
  return full;
}

/** The window with the fewest requests left; of equals the one that ends last, since waiting for the other is in vain. */
function tightest(list: readonly Rule[], windows: readonly Window[]): number {
  let least = 0;
  for (let i = 1; i < list.length; i++) {
    const more = leftOf(list, windows, i) - leftOf(list, windows, least);
    if (more < 0 || (more === 0 && endOf(list, windows, i) > endOf(list, windows, least))) least = i;
  }
  return least;
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

function exceeded({ count, unit, per }: Rule, waitMs: number): ServiceError {
  const retryAfter = seconds(waitMs);
  const whose = per === 'key' ? 'API key' : 'organization';
  const message = `The limit of ${count} requests per ${unit} and ${whose} is exceeded. Wait ${retryAfter} seconds.`;
  return new ServiceError('rateLimited', message, { retryAfter });
}

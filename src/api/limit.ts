/**
 * API limits (spec part 8): fixed windows that begin with the first request, a minute and an hour per key, a day per
 * organisation; a request takes from all of them or from none. In memory, exact for the one gateway of a node.
 */
import type { Settings } from '../../config/schema.ts';
import { ServiceError } from '../errors.ts';

interface WindowRule {
  name: string;
  count: number;
  periodMs: number;
  per: 'key' | 'organisation';
}

interface Window {
  rule: WindowRule;
  started: number;
  used: number;
}

export class ApiLimit {
  private readonly rules: readonly WindowRule[];
  private readonly windows = new Map<string, Window>();

  constructor(settings: Pick<Settings, 'limitApiPerMinute' | 'limitApiPerHour' | 'limitApiPerDay'>) {
    const rules: WindowRule[] = [
      { name: 'minute', count: settings.limitApiPerMinute, periodMs: 60_000, per: 'key' },
      { name: 'hour', count: settings.limitApiPerHour, periodMs: 3_600_000, per: 'key' },
      { name: 'day', count: settings.limitApiPerDay, periodMs: 86_400_000, per: 'organisation' },
    ];
    this.rules = rules.filter((rule) => rule.count > 0);
  }

  /**
   * Takes one request of a key.
   * @param now milliseconds of a clock that does not jump
   * @returns headers of the window with the fewest requests left, as flat pairs; empty without limits
   * @throws ServiceError `rateLimited` with the seconds to wait
   */
  take(keyId: string, organisation: string, now: number, wallClock: number): readonly string[] {
    if (this.rules.length === 0) return [];
    const windows = this.rules.map((rule) => this.window(rule, rule.per === 'key' ? keyId : organisation, now));
    const full = windows.filter((window) => window.used >= window.rule.count).sort((a, b) => endOf(b) - endOf(a))[0];
    if (full) throw exceeded(full, now);
    for (const window of windows) window.used += 1;
    return headers(tightest(windows), now, wallClock);
  }

  /** Headers of a refused request: nothing is left in the window that refused it. */
  headersAfter(keyId: string, organisation: string, now: number, wallClock: number): readonly string[] {
    if (this.rules.length === 0) return [];
    const windows = this.rules.map((rule) => this.window(rule, rule.per === 'key' ? keyId : organisation, now));
    return headers(tightest(windows), now, wallClock);
  }

  /** Forgets windows that have ended. */
  sweep(now: number): void {
    for (const [id, window] of this.windows) if (endOf(window) <= now) this.windows.delete(id);
  }

  private window(rule: WindowRule, owner: string, now: number): Window {
    const id = `${rule.name} ${owner}`;
    const known = this.windows.get(id);
    if (known && endOf(known) > now) return known;
    const fresh = { rule, started: now, used: 0 };
    this.windows.set(id, fresh);
    return fresh;
  }
}

function endOf(window: Window): number {
  return window.started + window.rule.periodMs;
}

/** The window with the fewest requests left; of equals the one that ends last, since waiting for the other is in vain. */
function tightest(windows: readonly Window[]): Window {
  const left = (window: Window) => window.rule.count - window.used;
  const order = (a: Window, b: Window) => left(a) - left(b) || endOf(b) - endOf(a);
  return windows.reduce((least, window) => (order(window, least) < 0 ? window : least));
}

function headers(window: Window, now: number, wallClock: number): readonly string[] {
  const reset = Math.ceil((wallClock + endOf(window) - now) / 1000);
  const left = Math.max(0, window.rule.count - window.used);
  return [
    'X-RateLimit-Limit',
    String(window.rule.count),
    'X-RateLimit-Remaining',
    String(left),
    'X-RateLimit-Reset',
    String(reset),
  ];
}

function exceeded(window: Window, now: number): ServiceError {
  const retryAfter = Math.max(1, Math.ceil((endOf(window) - now) / 1000));
  const { count, name, per } = window.rule;
  const message = `The limit of ${count} requests per ${name} and ${per === 'key' ? 'API key' : 'organization'} is exceeded. Wait ${retryAfter} seconds.`;
  return new ServiceError('rateLimited', message, { retryAfter });
}

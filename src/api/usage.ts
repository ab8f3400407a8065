/**
 * Counts API calls and keeps the last use of each key, both in memory. Sends these data to the journal of the directory
 * partition at intervals. If a send fails, the journal may or may not have the record. The record is then sent again
 * with the same number, so nothing is counted twice. A gateway that is killed loses the counts that it has not sent.
 */
import { timeOfUlid, ulid } from '../foundation/ids.ts';
import type { UsageCalls, UsageRecord } from '../protocol/journal.ts';
import type { Partition } from '../store/partition.ts';
import { monthOf, readBoot, readKeyUse } from '../store/tables/usage.ts';

/** Minimum interval between two writes of a key's last use, in milliseconds. */
const keyUseMs = 60_000;

/**
 * Time after which a gateway counts under a new boot id, in milliseconds. The fold removes the rows of ids that are a day
 * older than another gateway's id, and a gateway can run for longer.
 */
const bootMs = 12 * 3_600_000;

/** Calls of a gateway that the directory does not contain yet. `number` is the number of the record that saves them. */
export interface UnsavedUsage {
  boot: string;
  calls: { number: number; org: string; month: string; calls: number }[];
}

/** Returns the calls of an organization (null = of all) in a month that are not yet counted in `directory`. */
export function unfoldedCalls(
  { boot, calls }: UnsavedUsage,
  directory: Partition,
  org: string | null,
  month: string,
): number {
  const folded = readBoot(directory, boot);
  return calls
    .filter((each) => each.number > folded && (org === null || each.org === org) && each.month === month)
    .reduce((sum, each) => sum + each.calls, 0);
}

export class UsageMeter {
  private readonly now: () => number;
  private boot: string;
  private number = 0;
  /** The current count of each organization. A count is moved to `ended` when its month or day ends. */
  private running = new Map<string, UsageCalls>();
  private ended: UsageCalls[] = [];
  private readonly keys = new Map<string, number>();
  /** The record that was sent and is not yet confirmed by the journal. */
  private unsent: UsageRecord | undefined;
  /** The records that are perhaps not yet folded into the directory partition. */
  private records: UsageRecord[] = [];
  private month = '';
  private monthBegins = 0;
  private monthEnds = 0;

  /** @param now returns the time in milliseconds */
  constructor(now: () => number = Date.now) {
    this.now = now;
    this.boot = ulid(now());
  }

  /**
   * Counts one request.
   * @param daySince start of the organization's daily window, in milliseconds since 1970; 0 without a daily limit
   * @param now milliseconds since 1970
   */
  count(keyId: string, org: string, daySince: number, now: number): void {
    this.touch(keyId, now);
    const month = this.monthAt(now);
    const known = this.running.get(org);
    if (known && known.month === month && known.daySince === daySince) {
      known.calls += 1;
      return;
    }
    if (known) this.ended.push(known);
    this.running.set(org, { org, month, daySince, calls: 1 });
  }

  /** Records the last use of a key for a request that is not counted, such as a request in test mode. */
  touch(keyId: string, now: number): void {
    this.keys.set(keyId, now);
  }

  /**
   * Returns the number of calls in a month that are not yet counted in `directory`. The number is for one organization,
   * or for all organizations if `org` is null.
   */
  unfolded(directory: Partition, org: string | null, month: string): number {
    this.forgetFolded(directory);
    return unfoldedCalls(this.unsaved(), directory, org, month);
  }

  /** Returns all calls that are perhaps not yet counted in the directory. */
  unsaved(): UnsavedUsage {
    const next = this.number + 1;
    const counts = [...this.running.values(), ...this.ended].map((calls) => ({ ...calls, number: next }));
    const sent = this.records.flatMap(({ number, calls }) => calls.map((each) => ({ ...each, number })));
    const all = [...counts, ...sent];
    return { boot: this.boot, calls: all.map(({ number, org, month, calls }) => ({ number, org, month, calls })) };
  }

  /**
   * Sends the counts to the journal.
   * @throws when the journal does not accept the record; the next call sends the same record again
   */
  async flush(directory: Partition | undefined, enqueue: (record: UsageRecord) => Promise<unknown>): Promise<void> {
    if (directory) this.forgetFolded(directory);
    this.unsent ??= this.collect(directory);
    if (!this.unsent) return;
    await enqueue(this.unsent);
    this.unsent = undefined;
  }

  private collect(directory: Partition | undefined): UsageRecord | undefined {
    const calls = [...this.ended, ...this.running.values()];
    const keys = directory ? this.usedKeys(directory) : [];
    if (calls.length === 0 && keys.length === 0) return undefined;
    this.ended = [];
    this.running = new Map();
    if (this.records.length === 0 && this.now() - timeOfUlid(this.boot) > bootMs) {
      this.boot = ulid(this.now());
      this.number = 0;
    }
    this.number += 1;
    const { boot, number } = this;
    const record: UsageRecord = { id: ulid(), at: this.now(), kind: 'usage', boot, number, calls, keys };
    this.records.push(record);
    return record;
  }

  private forgetFolded(directory: Partition): void {
    const folded = readBoot(directory, this.boot);
    this.records = this.records.filter(({ number }) => number > folded);
  }

  /**
   * Returns the keys whose last use must be stored. Such a key was last used at least a minute after the time that
   * `directory` contains for the key.
   */
  private usedKeys(directory: Partition): UsageRecord['keys'] {
    const found: UsageRecord['keys'] = [];
    for (const [id, usedAt] of this.keys) {
      if (usedAt - (readKeyUse(directory, id) ?? 0) < keyUseMs) continue;
      found.push({ id, usedAt });
      this.keys.delete(id);
    }
    return found;
  }

  private monthAt(now: number): string {
    if (now >= this.monthBegins && now < this.monthEnds) return this.month;
    const date = new Date(now);
    this.month = monthOf(now);
    this.monthBegins = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
    this.monthEnds = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    return this.month;
  }
}

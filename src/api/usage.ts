/**
 * Counts API calls and keeps the last use of each key, both in memory. Sends these data to the journal of the directory
 * partition at intervals. If a send fails, the journal may or may not have the record. The record is then sent again
 * with the same number, so nothing is counted twice. A gateway that is killed loses the counts that it has not sent.
 */
import { ulid } from '../foundation/ids.ts';
import type { UsageCalls, UsageRecord } from '../protocol/journal.ts';
import type { Partition } from '../store/partition.ts';
import { monthOf, readBoot, readKeyUse } from '../store/tables/usage.ts';

/** Minimum interval between two writes of a key's last use, in milliseconds. */
const keyUseMs = 60_000;

export class UsageMeter {
  private readonly boot = ulid();
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
    let calls = 0;
    const all = [...this.running.values(), ...this.ended, ...this.records.flatMap((record) => record.calls)];
    for (const each of all) if ((org === null || each.org === org) && each.month === month) calls += each.calls;
    return calls;
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
    this.number += 1;
    const { boot, number } = this;
    const record: UsageRecord = { id: ulid(), at: Date.now(), kind: 'usage', boot, number, calls, keys };
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

/**
 * Counts API calls and when keys were last used, in memory, and puts what has come together on the directory's journal from
 * time to time. A record whose outcome is not known is sent again with its number, so that nothing is counted twice; a
 * killed gateway loses what it had not sent.
 */
import { ulid } from '../foundation/ids.ts';
import type { UsageCalls, UsageRecord } from '../protocol/journal.ts';
import type { Partition } from '../store/partition.ts';
import { monthOf, readBoot, readKeyUse } from '../store/tables/usage.ts';

/** A key's last use is written this often at most, in milliseconds. */
const keyUseMs = 60_000;

export class UsageMeter {
  private readonly boot = ulid();
  private number = 0;
  /** What an organisation is counted under now, and what was before its month or day ended. */
  private running = new Map<string, UsageCalls>();
  private ended: UsageCalls[] = [];
  private readonly keys = new Map<string, number>();
  /** What the journal has not taken, as far as is known. */
  private unsent: UsageRecord | undefined;
  /** Records that may not be folded yet. */
  private records: UsageRecord[] = [];
  private month = '';
  private monthBegins = 0;
  private monthEnds = 0;

  /**
   * Counts one request.
   * @param daySince beginning of the organisation's day, 0 without a daily limit
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

  /** Notes that a key was used, for a request that counts for nobody. */
  touch(keyId: string, now: number): void {
    this.keys.set(keyId, now);
  }

  /** Calls of an organisation in a month that the directory, as it is read here, does not have yet. Null = of all. */
  unfolded(directory: Partition, org: string | null, month: string): number {
    this.forgetFolded(directory);
    let calls = 0;
    const all = [...this.running.values(), ...this.ended, ...this.records.flatMap((record) => record.calls)];
    for (const each of all) if ((org === null || each.org === org) && each.month === month) calls += each.calls;
    return calls;
  }

  /**
   * Puts what was counted on the journal.
   * @throws when the journal does not take it; the next call sends the same again
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

  /** Keys whose last use stands a minute or more behind. */
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

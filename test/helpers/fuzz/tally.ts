/**
 * Counts what became of the requests of each operation, and says which write operations never succeeded.
 */
import type { Operation } from '../contract.ts';

interface Counts {
  sent: number;
  /** Answered with 2xx. */
  succeeded: number;
  /** Refused by the handler for what is there: 404, 409, 412. */
  refused: number;
  /** Refused before: no key, no scope, a bad query, header or body. */
  rejected: number;
}

const byState: ReadonlySet<number> = new Set([404, 409, 412]);

export class Tally {
  /** Requests by status. */
  readonly statuses = new Map<number, number>();
  private readonly operations = new Map<string, Counts>();

  /** @param operations those that are to be asked, in the order of the table */
  constructor(operations: readonly Operation[]) {
    for (const { definition } of operations)
      this.operations.set(definition.operationId, { sent: 0, succeeded: 0, refused: 0, rejected: 0 });
  }

  /** Counts a reply. Replies in test mode are counted as sent alone, as no handler does its work there. */
  count({ definition }: Operation, status: number, isTest: boolean): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    const counts = this.operations.get(definition.operationId);
    if (!counts) return;
    counts.sent += 1;
    if (isTest) return;
    if (status < 300) counts.succeeded += 1;
    else if (byState.has(status)) counts.refused += 1;
    else counts.rejected += 1;
  }

  get sent(): number {
    return this.sum('sent');
  }

  /** Requests that a handler of a write carried out or refused for what is there. */
  get reached(): number {
    return this.sum('succeeded') + this.sum('refused');
  }

  /** Operations that no request got done. */
  get never(): string[] {
    return [...this.operations].filter(([, { succeeded }]) => succeeded === 0).map(([name]) => name);
  }

  /** A line for each operation. */
  table(): string {
    const row = (name: string, ...cells: (string | number)[]) =>
      name.padEnd(30) + cells.map((cell) => String(cell).padStart(11)).join('');
    const rows = [...this.operations].map(([name, { sent, succeeded, refused, rejected }]) =>
      row(name, sent, succeeded, refused, rejected),
    );
    const all = [this.sent, this.sum('succeeded'), this.sum('refused'), this.sum('rejected')];
    const statuses = [...this.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    return [
      row('operation', 'sent', 'succeeded', 'refused', 'rejected'),
      ...rows,
      row('all writes', ...all),
      statuses.join(', '),
    ].join('\n');
  }

  private sum(name: keyof Counts): number {
    return [...this.operations.values()].reduce((sum, counts) => sum + counts[name], 0);
  }
}

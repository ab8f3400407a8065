/** Counts the outcomes of the requests per operation, and reports the write operations that never succeeded. */
import type { Operation } from '../contract.ts';

interface Counts {
  sent: number;
  /** Requests with a 2xx reply. */
  succeeded: number;
  /** Requests that the handler refused because of the current state: 404, 409, 412. */
  refused: number;
  /** Requests that were refused before the handler ran: no key, no scope, or an invalid query, header or body. */
  rejected: number;
}

const byState: ReadonlySet<number> = new Set([404, 409, 412]);

export class Tally {
  /** Number of requests by status. */
  readonly statuses = new Map<number, number>();
  private readonly operations = new Map<string, Counts>();

  /** @param operations the operations to count, in the order in which the table lists them */
  constructor(operations: readonly Operation[]) {
    for (const { definition } of operations)
      this.operations.set(definition.operationId, { sent: 0, succeeded: 0, refused: 0, rejected: 0 });
  }

  /** Counts a reply. Replies in test mode are only counted as sent, because no handler runs in test mode. */
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

  /** Number of write requests that a handler either carried out, or refused because of the current state. */
  get reached(): number {
    return this.sum('succeeded') + this.sum('refused');
  }

  /** Names of the operations without a successful request. */
  get never(): string[] {
    return [...this.operations].filter(([, { succeeded }]) => succeeded === 0).map(([name]) => name);
  }

  /** Returns a table with one line per operation. */
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

/**
 * `tidings retention show|sweep|approve`: shows what is erased and when, sweeps now instead of waiting for the next
 * sweep, and approves a waiting erasure.
 */
import type { Settings } from '../../config/schema.ts';
import type { ApiContext } from '../api/context.ts';
import { approve, describeRetention, retentionRoutes } from '../api/retention.ts';
import { toDate } from '../foundation/days.ts';
import { partitionNames } from '../foundation/partition-names.ts';
import { askLead } from '../journal/query.ts';
import type { RecordCounts, Wait } from '../protocol/retention.ts';
import { openReadOnly } from '../store/partition.ts';
import { readLead } from '../store/tables/lead.ts';
import { retentionStatus } from '../store/tables/retention.ts';
import { withService } from './connection.ts';
import { printReply } from './json.ts';
import { printLines } from './print.ts';
import type { retentionEntry } from './table/operation.ts';
import type { Runs } from './usage.ts';

export const retentionActions: Runs<typeof retentionEntry> = {
  show: ({ json }) =>
    withService((context) => (json ? printReply(context, retentionRoutes, 'showRetention') : show(context))),
  sweep: () => withService(sweep),
  approve: (_, [partition]) => withService((context) => approveWaiting(context, partition)),
};

async function show(context: ApiContext): Promise<number> {
  const { before, partitions, repositories, organizations } = await describeRetention(context);
  const lines = [`The next sweep erases records last synced before ${before}:`];
  for (const { fullName, repoId, partition, ...counts } of repositories)
    lines.push(`  ${fullName || repoId} (${partition}): ${describe(counts)}`);
  if (repositories.length === 0) lines.push('  nothing');
  for (const { login, uninstalledAt, erasedFrom, due, repositories: held } of organizations) {
    lines.push(`${login}: app removed ${uninstalledAt}, ${due ? 'due since' : 'erased from'} ${erasedFrom}`);
    for (const each of held) if (each) lines.push(`  ${each.fullName || each.repoId}: ${describe(each)}`);
  }
  const waiting = partitions.flatMap((each) => each.waiting);
  for (const wait of waiting) lines.push(`Waiting: ${JSON.stringify(wait)}`);
  if (waiting.length > 0) lines.push('To approve these erasures, run: tidings retention approve [PARTITION]');
  printLines(lines);
  return 0;
}

function describe({ pulls, issues, comments, pushes, commits }: RecordCounts): string {
  return `${pulls} pull requests, ${issues} issues, ${comments} comments, ${pushes} pushes, ${commits} commits`;
}

async function sweep({ journal, settings, readers }: ApiContext): Promise<number> {
  const question = { task: 'sweep' } as const;
  for (const name of partitionNames(settings.partitions)) {
    const partition = readers.fresh(name);
    const lead = partition && readLead(partition);
    const { done } = await askLead<typeof question, { done: boolean }>(journal, name, lead, question);
    printLines([`${name}: ${done ? 'swept' : 'is being swept'}`]);
  }
  return 0;
}

async function approveWaiting(context: ApiContext, partition: string | undefined): Promise<number> {
  const approved = await approve(context, partition === undefined ? {} : { partition });
  const lines = approved.map(({ partition: name, wait }) => `${name}: ${summary(wait)}`);
  printLines(lines, 'No erasure waits for approval.');
  return 0;
}

/**
 * Returns one line per erasure that waits for approval, for `tidings doctor`. Reads the partitions from disk, so the
 * service need not be running.
 */
export function waitingLines({ dataDir, partitions }: Settings): string[] {
  const lines: string[] = [];
  for (const name of partitionNames(partitions)) {
    const partition = openReadOnly(dataDir, name);
    // The table can be missing when an earlier version of Tidings wrote the store. The process that owns the store adds
    // missing tables when it opens the store.
    if (!partition?.tables.retention) continue;
    for (const wait of retentionStatus(partition).waiting) lines.push(`${name}: ${doubts[wait.cause]}`);
    void partition.close();
  }
  return lines;
}

const doubts: Record<Wait['cause'], string> = {
  clock: 'the clock differs by more than a day from the last recorded time, so nothing is erased',
  records: 'a sweep would erase a large share of the records, so nothing is erased',
  organisations: 'removed organizations have many records, so these records are not erased',
};

/** Describes in one sentence which erasure was approved. */
function summary(wait: Wait): string {
  switch (wait.cause) {
    case 'clock':
      return `the clock time ${new Date(wait.to).toISOString()} was confirmed, and erasing continues from that time`;
    case 'records':
      return `${wait.records} of ${wait.total} records will be erased, because they were last synced before ${toDate(wait.before)}`;
    case 'organisations':
      return `number of organizations that will be erased: ${wait.organisations.length}`;
  }
}

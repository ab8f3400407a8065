/**
 * `tidings retention show|sweep|approve`: what is erased and when, a sweep now instead of tomorrow, and an operator's word
 * for erasing that waits.
 */
import type { Settings } from '../../config/schema.ts';
import type { ApiContext } from '../api/context.ts';
import { approve, describeRetention } from '../api/retention.ts';
import { toDate } from '../foundation/days.ts';
import { ask } from '../journal/query.ts';
import { partitionNames } from '../journal/subjects.ts';
import type { RecordCounts, Wait } from '../protocol/retention.ts';
import { openReadOnly } from '../store/partition.ts';
import { retentionStatus } from '../store/tables/retention.ts';
import { withService } from './connection.ts';
import { jsonOption, printReply } from './json.ts';
import { printLines } from './print.ts';
import { action, type CliCommand } from './usage.ts';

export const retentionCommand: CliCommand = {
  help: 'Shows what would be erased now and what waits for approval; sweeps now; approves',
  examples: ['retention show', 'retention approve p00'],
  actions: {
    show: action({
      help: 'Shows what the next sweep erases, and what waits for approval',
      options: jsonOption('the reply of GET /api/retention'),
      run: ({ json }) => withService((context) => (json ? printReply(context, 'showRetention') : show(context))),
    }),
    sweep: action({ help: 'Erases now what is due, instead of tomorrow', run: () => withService(sweep) }),
    approve: action({
      arguments: '[PARTITION]',
      help: 'Approves the erasing that waits, in all partitions or in one',
      run: (_, [partition]) => withService((context) => giveWord(context, partition)),
    }),
  },
};

async function show(context: ApiContext): Promise<number> {
  const { before, partitions, repositories, organizations } = await describeRetention(context);
  const lines = [`Last told of before ${before}, so the next sweep erases:`];
  for (const { fullName, repoId, partition, ...counts } of repositories)
    lines.push(`  ${fullName || repoId} (${partition}): ${describe(counts)}`);
  if (repositories.length === 0) lines.push('  nothing');
  for (const { login, uninstalledAt, erasedFrom, due, repositories: held } of organizations) {
    lines.push(`${login}: app removed ${uninstalledAt}, ${due ? 'due since' : 'erased from'} ${erasedFrom}`);
    for (const each of held) if (each) lines.push(`  ${each.fullName || each.repoId}: ${describe(each)}`);
  }
  const waiting = partitions.flatMap((each) => each.waiting);
  for (const wait of waiting) lines.push(`Waiting: ${JSON.stringify(wait)}`);
  if (waiting.length > 0) lines.push('To let it go on: tidings retention approve [PARTITION]');
  printLines(lines);
  return 0;
}

function describe({ pulls, issues, comments, pushes, commits }: RecordCounts): string {
  return `${pulls} pull requests, ${issues} issues, ${comments} comments, ${pushes} pushes, ${commits} commits`;
}

async function sweep({ journal, settings }: ApiContext): Promise<number> {
  for (const name of partitionNames(settings.partitions)) {
    const { done } = await ask<{ task: 'sweep' }, { done: boolean }>(journal, name, { task: 'sweep' });
    printLines([`${name}: ${done ? 'swept' : 'is being swept'}`]);
  }
  return 0;
}

async function giveWord(context: ApiContext, partition: string | undefined): Promise<number> {
  const approved = await approve(context, partition === undefined ? {} : { partition });
  const lines = approved.map(({ partition: name, wait }) => `${name}: ${summary(wait)}`);
  printLines(lines, 'Nothing waits for a word.');
  return 0;
}

/** What waits for a word, for the doctor: a line each. Reads the partitions without the service. */
export function waitingLines({ dataDir, partitions }: Settings): string[] {
  const lines: string[] = [];
  for (const name of partitionNames(partitions)) {
    const partition = openReadOnly(dataDir, name);
    // The store of an earlier version has no such table until its owner has opened it.
    if (!partition?.tables.retention) continue;
    for (const wait of retentionStatus(partition).waiting) lines.push(`${name}: ${doubts[wait.cause]}`);
    void partition.close();
  }
  return lines;
}

const doubts: Record<Wait['cause'], string> = {
  clock: 'the clock is more than a day off the last tick, so nothing is erased',
  records: 'a sweep would erase much, so nothing is erased',
  organisations: 'removed organizations hold much, so they are not erased',
};

/** What was allowed, in a sentence. */
function summary(wait: Wait): string {
  switch (wait.cause) {
    case 'clock':
      return `the clock is right at ${new Date(wait.to).toISOString()}, erasing goes on from there`;
    case 'records':
      return `${wait.records} of ${wait.total} records last told of before ${toDate(wait.before)} are erased`;
    case 'organisations':
      return `organizations that are erased: ${wait.organisations.length}`;
  }
}

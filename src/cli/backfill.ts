/**
 * `tidings backfill REPO`: starts reading a repository's older history from its host and shows the progress. The
 * service reads the history and continues after the command has ended. Running the command again shows the progress of
 * the same backfill.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { assertConnected, begin, resolve, resolveListed, sinceOf } from '../api/backfills.ts';
import { type ApiContext, partitionOfId, readPartition, runCommand } from '../api/context.ts';
import { isDate } from '../api/validate.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { terminalText } from '../foundation/visible-text.ts';
import type { BackfillRecord } from '../protocol/backfill.ts';
import type { ResolvedRepository } from '../protocol/tasks.ts';
import { isUnderWay, readBackfill } from '../store/tables/backfills.ts';
import {
  type DirectoryRepository,
  listDirectoryRepositories,
  readDirectoryRepository,
  readOrganization,
} from '../store/tables/directory.ts';
import { withService } from './connection.ts';
import { printLines } from './print.ts';
import { createProgress } from './progress.ts';
import type { backfillEntry } from './table/operation.ts';
import { NotFoundError, type Run, UsageError } from './usage.ts';

/** The repository to read, by its name on a host or by its id. */
interface Wanted {
  name: string;
  origin: string | undefined;
}

const pollMs = 250;

export const runBackfill: Run<typeof backfillEntry> = (values, [name = '']) => {
  if (!/^(repo_\w+|[^/\s]+\/[^/\s]+)$/.test(name))
    throw new UsageError('Expected: tidings backfill OWNER/REPO or the id of a repository');
  if (values.since !== undefined && !isDate(values.since))
    throw new UsageError('--since: expected a day as YYYY-MM-DD');
  const since = sinceOf(values.since);
  const wanted = { name, origin: values.host?.replace(/\/$/, '') };
  return withService(async (context) => {
    if (values.cancel) return cancel(context, wanted);
    const { repository } = await start(context, wanted, since);
    if (values['no-wait']) return say(`The backfill of ${repository.fullName} is under way.`);
    return watch(context, repository.id, repository.fullName);
  });
};

async function start(context: ApiContext, wanted: Wanted, since: number | null): Promise<ResolvedRepository> {
  const listed = find(context, wanted);
  const origin = wanted.origin ?? context.settings.hostOrigin;
  const resolved = listed
    ? await resolveListed(context, listed)
    : await resolve(context, { task: 'resolveRepository', origin, fullName: wanted.name });
  const { id, fullName } = resolved.repository;
  // Looks up the repository by its id, not by name, because the directory partition may still contain a former name of
  // the repository.
  const state = readDirectoryRepository(readPartition(context, directoryName), id)?.state;
  if (state) assertConnected({ state, fullName });
  await begin(context, resolved, since);
  return resolved;
}

function find(context: ApiContext, { name, origin }: Wanted): DirectoryRepository | undefined {
  const directory = readPartition(context, directoryName);
  const found = listDirectoryRepositories(directory, null).filter(
    ({ id, fullName, orgId }) =>
      (id === name || fullName.toLowerCase() === name.toLowerCase()) &&
      (origin === undefined || readOrganization(directory, orgId)?.origin === origin),
  );
  if (found.length > 1) throw new UsageError(`Several hosts have ${name}. Choose a host with --host`);
  if (found.length === 0 && name.startsWith('repo_')) throw new NotFoundError(`Repository ${name} is not known here.`);
  return found[0];
}

async function cancel(context: ApiContext, wanted: Wanted): Promise<number> {
  const listed = find(context, wanted);
  if (!listed) throw new NotFoundError(`Repository ${JSON.stringify(wanted.name)} is not known here.`);
  const name = partitionOfId(context, listed.id) as string;
  const command = { name: 'cancelBackfill', repoId: listed.id, reports: true } as const;
  const { state } = await runCommand<{ state: string }>(context, name, command);
  if (state === 'cancelled') return say(`The backfill of ${listed.fullName} is cancelled; the data read so far stays.`);
  return say(`No backfill of ${listed.fullName} is under way; the last one is ${state}.`);
}

/** Shows a progress bar until the backfill has ended. */
async function watch(context: ApiContext, repoId: string, fullName: string): Promise<number> {
  const name = partitionOfId(context, repoId) as string;
  const progress = createProgress({
    label: terminalText(`backfill of ${fullName}, %`),
    total: 100,
    stream: process.stderr,
  });
  let shown = 0;
  let reportedUntil: number | null = null;
  for (;;) {
    const backfill = readBackfill(readPartition(context, name), repoId);
    if (!backfill) throw new Error('The backfill no longer exists: its repository was removed.');
    progress.advance(backfill.percent - shown);
    shown = backfill.percent;
    const { until } = backfill.waits;
    if (until !== null && until !== reportedUntil && until - Date.now() > 2000)
      process.stderr.write(`\nThe host asks to wait until ${new Date(until).toISOString()}.\n`);
    reportedUntil = until;
    if (!isUnderWay(backfill)) {
      progress.done(terminalText(summary(backfill)));
      return backfill.state === 'completed' ? 0 : 1;
    }
    await pause(pollMs);
  }
}

function summary({ state, counts, waits, error }: BackfillRecord): string {
  const items = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  const waited = waits.count > 0 ? `; waited ${Math.round(waits.ms / 1000)} s for the host` : '';
  const reason = error === null ? '' : ` ${error}`;
  return `The backfill is ${state}:${reason} ${items.join(', ') || 'nothing new'}${waited}.`;
}

function say(line: string): number {
  printLines([line]);
  return 0;
}

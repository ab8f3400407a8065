/**
 * Finds what happens in repositories: when the newest delivery was received, and what is not released yet. The directory
 * does not contain these data, so they are read from the repositories' partitions or asked of the owners of these
 * partitions.
 */
import { type PartitionName, partitionOfRepository } from '../foundation/partition-names.ts';
import { ask } from '../journal/query.ts';
import type { UnreleasedCount, UnreleasedCounts, UnreleasedCountsTask } from '../protocol/tasks.ts';
import type { RequestReaders } from '../store/readers.ts';
import { type DirectoryRepository, directoryRepositoryResponse } from '../store/tables/directory.ts';
import { readRepository } from '../store/tables/repositories.ts';
import type { Caller } from './authenticate.ts';
import type { ApiContext } from './context.ts';

/** How long an owner counts before it answers with the counts that are ready, in milliseconds. */
const countMs = 60;
/** How long a reply waits for the answers of all owners, in milliseconds. */
const answerMs = 1000;

/** Makes the part of a reply that describes a repository. */
export function repositoryResponse(context: ApiContext, caller: Caller, repository: DirectoryRepository): object {
  const body = directoryRepositoryResponse(repository);
  body.lastEventAt = lastEventOf(context, caller, repository.id);
  return body;
}

/** Makes the parts of a reply that describe repositories with their unreleased changes. */
export async function unreleasedResponses(
  context: ApiContext,
  caller: Caller,
  repositories: readonly DirectoryRepository[],
): Promise<object[]> {
  // Both are read before the first `await`, as the rest of the reply.
  const bodies = repositories.map((repository) => repositoryResponse(context, caller, repository));
  const visible = repositories.map(({ id }) => id).filter((id) => caller.maySee(id));
  const counts = await countsOf(context, visible);
  return repositories.map(({ id }, i) => ({ ...bodies[i], ...shown(counts[id]) }));
}

/**
 * Returns when the newest delivery of a repository was received. The time can be a second old.
 * @param state `fresh` after an `await` (`store/readers.ts`)
 */
export function lastEventOf(
  { readers, settings }: ApiContext,
  caller: Caller,
  repoId: string,
  state: 'current' | 'fresh' = 'current',
): string | null {
  if (!caller.maySee(repoId)) return null;
  const times = timesOf(readers);
  const known = times.get(repoId);
  if (known !== undefined) return known;
  const partition = readers[state](partitionOfRepository(repoId, settings.partitions));
  if (!partition) return null;
  const at = readRepository(partition, repoId)?.lastEventAt;
  const time = at === undefined ? null : new Date(at).toISOString();
  times.set(repoId, time);
  return time;
}

/** How long times are remembered, in milliseconds. Reading the state of a partition takes longer than making the list. */
const rememberedMs = 1000;
const remembered = new WeakMap<RequestReaders, { until: number; times: Map<string, string | null> }>();

/** Returns the remembered times of the newest deliveries by repository. None of them is older than a second. */
function timesOf(readers: RequestReaders): Map<string, string | null> {
  const now = performance.now();
  const known = remembered.get(readers);
  if (known && known.until > now) return known.times;
  const times = new Map<string, string | null>();
  remembered.set(readers, { until: now + rememberedMs, times });
  return times;
}

/** Asks the owners of the partitions. An owner that does not answer leaves the counts of its repositories out. */
async function countsOf({ journal, settings }: ApiContext, repoIds: readonly string[]): Promise<UnreleasedCounts> {
  const byPartition = new Map<PartitionName, string[]>();
  for (const id of repoIds) {
    const name = partitionOfRepository(id, settings.partitions);
    byPartition.set(name, [...(byPartition.get(name) ?? []), id]);
  }
  const answers = [...byPartition].map(([name, ids]) => {
    const question: UnreleasedCountsTask = { task: 'unreleasedCounts', repoIds: ids, waitMs: countMs };
    return ask<UnreleasedCountsTask, UnreleasedCounts>(journal, name, question, answerMs).catch(() => ({}));
  });
  return Object.assign({}, ...(await Promise.all(answers)));
}

function shown(count: UnreleasedCount | undefined): object {
  const tag = count?.lastTag;
  return {
    lastTag: tag ? { name: tag.name, date: new Date(tag.date).toISOString() } : null,
    unreleased: count?.unreleased ?? null,
  };
}

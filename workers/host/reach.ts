/**
 * How a repository is reached on its host by those that look something up there: whether it may be asked for, and what it is
 * called now.
 */
import { ServiceError } from '../../src/errors.ts';
import type { HostClient, HostWait } from '../../src/host/client.ts';
import { minimiseRepository } from '../../src/intake/minimise.ts';
import { time } from '../../src/intake/text.ts';
import type { EventRepository } from '../../src/protocol/repository.ts';
import { readRepository } from '../../src/store/repositories.ts';
import { clientFor, counted, type HostContext, hostAt } from './context.ts';
import type { TagSource } from './tags.ts';

/** A repository as its host has it now, and what to ask it with. */
export interface Reached extends TagSource {
  client: HostClient;
  repository: EventRepository;
  /** When the host was asked, whole seconds in milliseconds. */
  seenAt: number;
}

/** Whether a repository is connected and there are credentials to read it with. */
export function mayAsk(context: HostContext, repoId: string): boolean {
  const repository = readRepository(context.partition(), repoId);
  const listed = context.listed(repoId);
  const host = repository && hostAt(context.hosts, repository.origin);
  const mayRead = host?.token !== undefined || (host?.app !== undefined && listed?.installationId != null);
  return mayRead && listed?.state === 'connected';
}

/**
 * Finds a repository on its host; undefined when it is not stored.
 * @throws ServiceError `notFound` when another repository has its name now, and all that asking throws
 */
export async function reach(
  context: HostContext,
  repoId: string,
  options: { signal: AbortSignal; onWait?: (wait: HostWait) => void },
): Promise<Reached | undefined> {
  const known = readRepository(context.partition(), repoId);
  if (!known) return undefined;
  const { installationId = null } = context.listed(repoId) ?? {};
  const client = clientFor(context, known.origin, { installationId, ...options });
  const at = Date.now();
  const found = await counted(client.repository(known.fullName));
  const repository = minimiseRepository(found, known.origin);
  if (repository.id !== repoId) throw new ServiceError('notFound', 'The host has another repository under this name.');
  const seenAt = at - (at % 1000);
  const name = { fullName: repository.fullName };
  const pushedAt = time(found.pushed_at) ?? seenAt;
  return { client, name, repoId, pushedAt, partition: context.partition, repository, seenAt };
}

/**
 * Reads deliveries about an app's installation: its owner, and the repositories that the app may access. These events
 * go to the directory partition, not to a repository's partition.
 */
import type { TSchema } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { repositoryId } from '../foundation/ids.ts';
import type { InstallationBody } from '../protocol/events.ts';
import {
  type InstallationPayload,
  InstallationPayloadSchema,
  type InstallationTargetPayload,
  InstallationTargetPayloadSchema,
  type InstalledRepositories,
} from '../protocol/host.ts';
import { assertComplete, type Checker } from './faults.ts';

const installation = TypeCompiler.Compile(InstallationPayloadSchema);
const target = TypeCompiler.Compile(InstallationTargetPayloadSchema);

/** Maps the host's actions to actions of the journal's events. Deliveries with other actions change nothing. */
const actions: Record<string, InstallationBody['action']> = {
  created: 'installed',
  unsuspend: 'installed',
  deleted: 'uninstalled',
  added: 'selected',
  removed: 'selected',
};

/** The schemas of the events that this file reads, by the host's names of the events. */
export const installationSchemas: Readonly<Record<string, TSchema>> = {
  installation: InstallationPayloadSchema,
  installation_repositories: InstallationPayloadSchema,
  installation_target: InstallationTargetPayloadSchema,
};

/**
 * Maximum number of repositories per record. Even with the longest names, such a record stays far below the maximum
 * size of a record.
 */
export const repositoriesPerPart = 1000;

/**
 * Converts a delivery about an installation to a change of that installation. The change is returned in parts that each
 * fit into a record.
 * @returns undefined when the event is not about an installation, or its action changes nothing
 * @throws ServiceError `invalid` naming every field that is missing
 */
export function toInstallation(event: string, payload: object, origin: string): InstallationBody[] | undefined {
  if (event === 'installation_target') return toRename(payload, origin);
  if (event !== 'installation' && event !== 'installation_repositories') return undefined;
  const { action: reportedAction } = payload as { action?: unknown };
  if (typeof reportedAction === 'string' && !Object.hasOwn(actions, reportedAction)) return undefined;
  const { action, installation: app, ...lists } = complete<InstallationPayload>(installation, payload);
  return inParts({
    action: actions[action] as InstallationBody['action'],
    origin,
    installationId: String(app.id),
    owner: { id: String(app.account.id), login: app.account.login },
    added: installed([...(lists.repositories ?? []), ...(lists.repositories_added ?? [])], origin),
    removed: installed(lists.repositories_removed ?? [], origin),
  });
}

/**
 * Splits a change into parts. The first part carries the action. The other parts only select and unselect further
 * repositories.
 */
function inParts(body: InstallationBody): InstallationBody[] {
  const { added, removed } = body;
  const length = body.action === 'uninstalled' ? 1 : Math.max(added.length, removed.length, 1);
  const parts: InstallationBody[] = [];
  for (let start = 0; start < length; start += repositoriesPerPart) {
    const end = start + repositoriesPerPart;
    const action = start === 0 ? body.action : 'selected';
    parts.push({ ...body, action, added: added.slice(start, end), removed: removed.slice(start, end) });
  }
  return parts;
}

function toRename(payload: object, origin: string): InstallationBody[] | undefined {
  if ((payload as { action?: unknown }).action !== 'renamed') return undefined;
  const { installation: app, account } = complete<InstallationTargetPayload>(target, payload);
  const owner = { id: String(account.id), login: account.login };
  return [{ action: 'renamed', origin, installationId: String(app.id), owner, added: [], removed: [] }];
}

function complete<T>(check: Checker, payload: object): T {
  assertComplete(check, payload);
  return payload as T;
}

function installed(repositories: NonNullable<InstalledRepositories>, origin: string): InstallationBody['added'] {
  return repositories.map((repository) => {
    const hostId = String(repository.id);
    const { full_name: fullName } = repository;
    return { id: repositoryId(origin, hostId), hostId, fullName, private: repository.private ?? false };
  });
}

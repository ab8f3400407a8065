/**
 * How a repository wants its notes: get and put, whole. Not part of the spec, whose rules are the defaults.
 */
import { toEtag } from '../foundation/etag.ts';
import { NoQuerySchema } from '../protocol/api.ts';
import { repositoryContracts } from '../protocol/contracts/repositories.ts';
import { type NotesSettings, NotesSettingsSchema } from '../protocol/notes.ts';
import { readSettings, settingsDigest } from '../store/tables/settings.ts';
import { assertVisible } from './authenticate.ts';
import { readIfMatch } from './conditional.ts';
import { carryOut, lifeFor, partitionOfId, readPartition } from './context.ts';
import type { ApiRoute } from './handle.ts';
import { check, withDefaults } from './validate.ts';

const getSettings: ApiRoute = {
  method: 'GET',
  path: '/api/repos/:repoId/settings',
  operation: 'getRepositorySettings',
  contract: repositoryContracts.getRepositorySettings,
  scope: 'repos:read',
  query: NoQuerySchema,
  handle: ({ caller, context, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const partition = readPartition(context, partitionOfId(context, repoId) as string);
    const etag = toEtag(settingsDigest(partition, repoId));
    return { status: 200, body: readSettings(partition, repoId), etag };
  },
};

const putSettings: ApiRoute = {
  method: 'PUT',
  path: '/api/repos/:repoId/settings',
  operation: 'putRepositorySettings',
  contract: repositoryContracts.putRepositorySettings,
  scope: 'repos:write',
  query: NoQuerySchema,
  checkBody: toSettings,
  handle: async ({ body, caller, context, headers, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const life = lifeFor(context, repoId);
    const ifMatch = readIfMatch(headers['if-match']);
    const settings = toSettings(body);
    const name = partitionOfId(context, repoId) as string;
    const command = { name: 'putSettings', repoId, settings, ...life, ...(ifMatch && { ifMatch }) } as const;
    const { digest } = await carryOut<{ digest: string }>(context, name, command);
    return { status: 200, body: settings, etag: toEtag(digest) };
  },
};

/**
 * Settings as they are put: what is left out goes back to its default.
 * @throws ServiceError `invalid` with one detail for each bad field
 */
export function toSettings(body: unknown): NotesSettings {
  return check<NotesSettings>(NotesSettingsSchema, withDefaults(NotesSettingsSchema, body), 'body');
}

export const settingsRoutes = [getSettings, putSettings];

/**
 * How a repository wants its notes: get and put, whole. Not part of the spec, whose rules are the defaults.
 */
import { Value } from '@sinclair/typebox/value';
import { NoQuerySchema } from '../protocol/api.ts';
import { type NotesSettings, NotesSettingsSchema } from '../protocol/notes.ts';
import { readSettings } from '../store/settings.ts';
import { assertVisible } from './authenticate.ts';
import { carryOut, partitionOfId, readPartition } from './context.ts';
import type { ApiRoute } from './handle.ts';
import { check } from './validate.ts';

const getSettings: ApiRoute = {
  method: 'GET',
  path: '/api/repos/:repoId/settings',
  operation: 'getRepositorySettings',
  scope: 'repos:read',
  query: NoQuerySchema,
  handle: ({ caller, context, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const partition = readPartition(context, partitionOfId(context, repoId) as string);
    return { status: 200, body: readSettings(partition, repoId) };
  },
};

const putSettings: ApiRoute = {
  method: 'PUT',
  path: '/api/repos/:repoId/settings',
  operation: 'putRepositorySettings',
  scope: 'repos:write',
  query: NoQuerySchema,
  handle: async ({ body, caller, context, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const settings = toSettings(body);
    const name = partitionOfId(context, repoId) as string;
    await carryOut(context, name, { name: 'putSettings', repoId, settings });
    return { status: 200, body: settings };
  },
};

/**
 * Settings as they are put: what is left out goes back to its default.
 * @throws ServiceError `invalid` with one detail for each bad field
 */
export function toSettings(body: unknown): NotesSettings {
  return check<NotesSettings>(NotesSettingsSchema, Value.Default(NotesSettingsSchema, body), 'body');
}

export const settingsRoutes = [getSettings, putSettings];

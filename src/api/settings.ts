/**
 * Handles the notes settings of a repository: get, put and preview. A put replaces all settings. A preview shows which
 * difference settings would make to tag ranges or to the unreleased changes. The spec does not define these settings.
 * With the default settings, the notes follow the rules of the spec.
 */
import type { Static } from '@sinclair/typebox';
import { invalid } from '../foundation/errors.ts';
import { toEtag } from '../foundation/etag.ts';
import { ask } from '../journal/query.ts';
import { type NotesSettings, NotesSettingsSchema } from '../protocol/notes.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import { PreviewSettingsQuerySchema, repositoryContracts } from '../protocol/resources/repositories.ts';
import type { SettingsPreview } from '../protocol/settings-preview.ts';
import type { SettingsPreviewTask } from '../protocol/tasks.ts';
import { readSettings, settingsDigest } from '../store/tables/settings.ts';
import { assertVisible } from './authenticate.ts';
import { readIfMatch } from './conditional.ts';
import { type ApiContext, incarnationFor, partitionOfId, readPartition, runCommand } from './context.ts';
import type { ApiRoute } from './route.ts';
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
    const incarnation = incarnationFor(context, repoId);
    const ifMatch = readIfMatch(headers['if-match']);
    const settings = toSettings(body);
    const name = partitionOfId(context, repoId) as string;
    const command = { name: 'putSettings', repoId, settings, ...incarnation, ...(ifMatch && { ifMatch }) } as const;
    const { digest } = await runCommand<{ digest: string }>(context, name, command);
    return { status: 200, body: settings, etag: toEtag(digest) };
  },
};

const previewSettings: ApiRoute<Static<typeof PreviewSettingsQuerySchema>> = {
  method: 'POST',
  path: '/api/repos/:repoId/settings/preview',
  operation: 'previewRepositorySettings',
  contract: repositoryContracts.previewRepositorySettings,
  // The reply contains text of drafts. A key that may read repositories only must not get it.
  scope: 'drafts:read',
  query: PreviewSettingsQuerySchema,
  checkBody: toSettings,
  handle: async ({ body, caller, context, query: { toTag, unreleased, include }, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    if (unreleased !== undefined && toTag !== undefined) {
      const details = { toTag: `expected no tag together with unreleased, got ${JSON.stringify(toTag)}` };
      throw invalid(details, 'The query is invalid.');
    }
    const end = unreleased === undefined ? toTag : null;
    const wanted = { ...(end !== undefined && { toTag: end }), ...(include === 'text' && { withText: true }) };
    return { status: 200, body: await trySettings(context, repoId, toSettings(body), wanted) };
  },
};

/**
 * Returns the difference that settings would make to the drafts of the last tag ranges of a repository, of the range of
 * one tag, or of its unreleased changes. Nothing is written.
 * @param wanted the only range to render, and whether the texts of its drafts are returned
 * @throws ServiceError `notFound` for a repository that has not sent an event yet, `invalid` for a tag that is not the
 *   end of a range
 */
export function trySettings(
  context: ApiContext,
  repoId: string,
  settings: NotesSettings,
  wanted: Pick<SettingsPreviewTask, 'toTag' | 'withText'> = {},
): Promise<SettingsPreview> {
  const question: SettingsPreviewTask = { task: 'settingsPreview', repoId, settings, ...wanted };
  return ask(context.journal, partitionOfId(context, repoId) as string, question);
}

/**
 * Returns the notes settings in a body. Omitted fields get their default.
 * @throws ServiceError `invalid` with one detail for each bad field
 */
export function toSettings(body: unknown): NotesSettings {
  return check<NotesSettings>(NotesSettingsSchema, withDefaults(NotesSettingsSchema, body), 'body');
}

export const settingsRoutes = [getSettings, putSettings, previewSettings];

/**
 * Finds the object that a request in test mode is about. For a real id, this is a stored object. For an id such as
 * `draft_test_1`, the object is made up. The reply contains the ids, persona, bounds and addresses of the object. The
 * rest of the reply is made up.
 */
import { hostsOf } from '../../config/hosts.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import type { IdPrefix } from '../foundation/ids.ts';
import { pagesUrl, pageUrl, versionName } from '../foundation/page-url.ts';
import type { ChannelName } from '../protocol/channels.ts';
import type { PublicationRecord } from '../protocol/publications.ts';
import type { DraftRecord, RangeRecord } from '../protocol/stored.ts';
import type { Partition } from '../store/partition.ts';
import { pagesUrlOf, personaPathOf } from '../store/publishable.ts';
import { effectiveChannel } from '../store/tables/channels.ts';
import { readDirectoryRepository } from '../store/tables/directory.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { readPublication } from '../store/tables/publications.ts';
import { readRange } from '../store/tables/ranges.ts';
import { readRepository } from '../store/tables/repositories.ts';
import { assertVisible } from './authenticate.ts';
import { partitionOfId, readPartition } from './context.ts';
import type { ApiRequest } from './route.ts';
import { sampleDraft, samplePublication, sampleRange, sampleRepository, testId } from './samples.ts';
import { visible } from './stored-object.ts';

type Asking = Pick<ApiRequest, 'caller' | 'context' | 'directory'>;

const sampleUrl = 'https://github.com/acme/rocket';
const usualFiles: Partial<Record<ChannelName, string>> = { changelog: 'CHANGELOG.md', releases_md: 'RELEASES.md' };

/**
 * Returns the web address of a repository on its host.
 * @throws ServiceError `notFound` for a repository that the caller may not see
 */
export function repositoryUrl({ caller, context }: Asking, repoId: string): string {
  if (testId.test(repoId)) return sampleUrl;
  assertVisible(caller, repoId, 'Repository', repoId);
  return readRepository(readPartition(context, partitionOfId(context, repoId) ?? ''), repoId)?.url ?? '';
}

/** Makes the range for an id. If the id is real, the made range has the repository and bounds of the stored range. */
export function mockRange(asking: Asking, id: string): RangeRecord {
  const stored = find(asking, id, 'range', 'Release range', readRange);
  return stored ? sampleRange(id, stored.repoId, stored.bounds) : sampleRange(id, sampleRepository.id);
}

/**
 * Makes the draft for an id. If the id is real, the made draft has the range, persona and revision of the stored draft.
 */
export function mockDraft(asking: Asking, id: string): DraftRecord {
  const stored = find(asking, id, 'draft', 'Draft', readDraft);
  if (!stored) return sampleDraft(id);
  const { rangeId, repoId, persona, revision } = stored;
  return { ...sampleDraft(id), rangeId, repoId, persona, revision };
}

/** Makes a publication of a draft to a channel, with the web address that a real publication would have. */
export function mockPublication(
  asking: Asking,
  fields: Pick<PublicationRecord, 'draftId' | 'channel' | 'asDraft'>,
  id?: string,
): PublicationRecord {
  const draft = mockDraft(asking, fields.draftId);
  const { repoId, rangeId, persona, revision } = draft;
  const url = publishedUrl(asking, draft, fields.channel);
  return { ...samplePublication(id, fields), repoId, rangeId, persona, revision, url };
}

/**
 * Returns a made-up publication with the given id. If a publication with this id is stored, the made-up publication has
 * the draft, channel and revision of the stored publication.
 */
export function mockStoredPublication(asking: Asking, id: string): PublicationRecord {
  const stored = find(asking, id, 'pub', 'Publication', readPublication);
  const { draftId = 'draft_test_sample', channel = 'hosted', asDraft = false } = stored ?? {};
  const made = mockPublication(asking, { draftId, channel, asDraft }, id);
  return stored ? { ...made, revision: stored.revision } : made;
}

/**
 * Returns the web address at which a channel shows a draft; null for channels whose publications have no web address.
 */
function publishedUrl(asking: Asking, draft: DraftRecord, channel: ChannelName): string | null {
  const { repoId, bounds } = mockRange(asking, draft.rangeId);
  if (channel === 'hosted') {
    const pages = pagesOf(asking, repoId);
    return pages === null ? null : pageUrl(pages, versionName(bounds), personaPathOf(asking.context.sealer, draft));
  }
  const url = repositoryUrl(asking, repoId);
  if (channel === 'scm_releases' && bounds.toTag !== undefined)
    return `${url}/releases/tag/${encodeURIComponent(bounds.toTag)}`;
  return channel in usualFiles ? fileUrl(asking, repoId, channel, url) : null;
}

function pagesOf({ context, directory }: Asking, repoId: string): string | null {
  const { settings } = context;
  if (!readDirectoryRepository(directory, repoId)) return pagesUrl(publicUrlOf(settings), sampleRepository.fullName);
  const partition = readPartition(context, partitionOfId(context, repoId) as string);
  return pagesUrlOf({ settings, directory, partition }, repoId);
}

/**
 * Returns the web address of the file that a channel writes. GitHub and Gitea show files at different addresses.
 * @param url web address of the repository
 */
function fileUrl({ context, directory }: Asking, repoId: string, channel: ChannelName, url: string): string {
  const name = partitionOfId(context, repoId);
  const repository = name === undefined ? undefined : readRepository(readPartition(context, name), repoId);
  const orgId = readDirectoryRepository(directory, repoId)?.orgId ?? '';
  const settings: { branch?: string; path?: string } =
    effectiveChannel(directory, orgId, repoId, channel)?.settings ?? {};
  const { branch = repository?.defaultBranch ?? 'main', path = usualFiles[channel] } = settings;
  const isGitea = hostsOf(context.settings).some(
    ({ origin, kind }) => origin === repository?.origin && kind === 'gitea',
  );
  return `${url}/${isGitea ? 'src/branch' : 'blob'}/${branch}/${path}`;
}

/**
 * Returns the stored object of an id; undefined for an id of test mode.
 * @throws ServiceError `notFound` when the caller may not see the object. This check is needed when a request contains
 *   both a test id and a real id, because no handler runs for such a request.
 */
function find<T extends { repoId: string }>(
  asking: Asking,
  id: string,
  prefix: IdPrefix,
  resource: string,
  read: (partition: Partition, id: string) => T | undefined,
): T | undefined {
  return testId.test(id) ? undefined : visible(asking, id, { prefix, resource, read }).record;
}

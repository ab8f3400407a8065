/**
 * The payload task: turns a revision of a draft into a note, and the note into the payload of its channel. It sends
 * nothing.
 */
import { DeliveryError, type Note } from '../../src/channels/channel.ts';
import { channelOf } from '../../src/channels/index.ts';
import { compareUrlOf } from '../../src/foundation/compare-url.ts';
import { invalid, notFound } from '../../src/foundation/errors.ts';
import { pageUrl, versionName } from '../../src/foundation/page-url.ts';
import type { DraftRecord, RangeRecord, RepositoryRecord } from '../../src/protocol/stored.ts';
import type { Payload, PayloadTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { readDraft } from '../../src/store/tables/drafts.ts';
import { readHostedNote } from '../../src/store/tables/hosted-notes.ts';
import { readRange } from '../../src/store/tables/ranges.ts';
import { readRepository } from '../../src/store/tables/repositories.ts';
import { readDraftRevision, readTexts } from '../../src/store/tables/revisions.ts';
import { readTag } from '../../src/store/tables/tags.ts';
import { inFull, type Summaries } from './ledgers.ts';

/**
 * Renders the payload that a channel would send.
 * @throws ServiceError `notFound` when the draft or its revision does not exist, `invalid` when the channel cannot
 * publish the draft
 */
export function payload(
  partition: Partition,
  task: PayloadTask,
  beforeRead: () => void,
  summaries: Summaries = inFull,
): Payload {
  const channel = channelOf(task.channel);
  try {
    const provisional = task.provisional ? provisionalVersion(partition, task, beforeRead, summaries) : undefined;
    const rendered = { payload: channel.render(noteOf(partition, task, provisional), task.settings) };
    return provisional === undefined ? rendered : { ...rendered, provisionalVersion: provisional };
  } catch (error) {
    if ((error as Error).name !== 'DeliveryError') throw error;
    throw invalid({ channel: (error as Error).message }, 'The channel cannot publish this draft.');
  }
}

/**
 * Returns the name that stands in for the version of a draft's range: the suggested version if there is one. Returns
 * undefined if the tag has arrived after the task was made.
 */
function provisionalVersion(
  partition: Partition,
  { draftId, repoId }: PayloadTask,
  beforeRead: () => void,
  summaries: Summaries,
): string | undefined {
  const draft = readDraft(partition, draftId);
  const range = draft && readRange(partition, draft.rangeId);
  const view = RepositoryView.of(partition, repoId, beforeRead);
  if (!range || !view || range.bounds.toTag !== undefined) return undefined;
  return summaries.of(view, repoId, range.bounds).suggestedVersion.version ?? versionName(range.bounds);
}

/** @param provisional name in place of the version; undefined if the range has a version */
function noteOf(partition: Partition, task: PayloadTask, provisional: string | undefined): Note {
  const draft = readDraft(partition, task.draftId);
  const range = draft && readRange(partition, draft.rangeId);
  const repository = draft && readRepository(partition, draft.repoId);
  if (!draft || !range || !repository) throw notFound('Draft', task.draftId);
  const revision = readDraftRevision(partition, draft.id, task.revision);
  if (!revision) throw notFound('Revision', String(task.revision));
  const { fromTag = null, toTag = null } = range.bounds;
  const version = provisional ?? versionName(range.bounds);
  return {
    publicationId: task.publicationId,
    repository: repositoryOf(repository),
    version,
    tag: provisional ?? toTag,
    previousTag: range.openEnds ? range.openEnds.fromTag : fromTag,
    compareUrl: comparison(draft, range, repository),
    date: dateOf(partition, range),
    persona: draft.persona,
    bodyMd: readTexts(partition, draft, revision).bodyMd,
    asDraft: task.asDraft,
    pageUrl: pageOf(partition, task, draft, version),
  };
}

/**
 * Returns the address of the page that the payload links to. For the `hosted` channel, that is the page being
 * published. For any other channel, it is an existing page for the readers of this draft: the persona's own page, or
 * else the customers' page. If neither exists, the payload links to no page (null). Readers never get a link to a page
 * that was written for others.
 */
function pageOf(
  partition: Partition,
  { channel, pagesUrl, personaPath }: PayloadTask,
  { repoId, persona }: DraftRecord,
  version: string,
): string | null {
  if (pagesUrl === null) return null;
  if (channel === 'hosted') {
    if (persona !== 'customer' && personaPath === undefined)
      throw new DeliveryError(
        'refused',
        'An earlier version of the service accepted this publication without a page address. Publish the draft again.',
      );
    return pageUrl(pagesUrl, version, personaPath);
  }
  if (personaPath !== undefined && readHostedNote(partition, repoId, version, personaPath))
    return pageUrl(pagesUrl, version, personaPath);
  const page = readHostedNote(partition, repoId, version);
  return page && (page.persona === persona || page.persona === 'customer') ? pageUrl(pagesUrl, version) : null;
}

function repositoryOf({ id, fullName, url, private: isPrivate, defaultBranch }: RepositoryRecord): Note['repository'] {
  return { id, fullName, url, private: isPrivate, defaultBranch: defaultBranch ?? 'main' };
}

/**
 * Returns the address of the comparison of the two ends of the range. A customer draft gets no link to a private
 * repository, because the draft's readers could not open the link.
 */
function comparison(draft: DraftRecord, range: RangeRecord, repository: RepositoryRecord): string | null {
  if (draft.persona === 'customer' && repository.private) return null;
  return compareUrlOf(range, repository.url) ?? null;
}

function dateOf(partition: Partition, { repoId, bounds, createdAt }: RangeRecord): number {
  if (bounds.toDate !== undefined) return Date.parse(`${bounds.toDate}T00:00:00Z`);
  const tag = bounds.toTag === undefined ? undefined : readTag(partition, repoId, bounds.toTag);
  return tag ? (tag.date ?? tag.pushedAt) : createdAt;
}

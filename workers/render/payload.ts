/**
 * The payload task: a revision of a draft as a note, and the note as its channel would send it. Nothing is sent here.
 */
import type { Note } from '../../src/channels/channel.ts';
import { channelOf } from '../../src/channels/index.ts';
import { compareUrl } from '../../src/compare-url.ts';
import { invalid, notFound } from '../../src/errors.ts';
import { pageUrl } from '../../src/page-url.ts';
import type { DraftRecord, RangeRecord, RepositoryRecord } from '../../src/protocol/stored.ts';
import type { Payload, PayloadTask } from '../../src/protocol/tasks.ts';
import { readDraft } from '../../src/store/drafts.ts';
import { readHostedNote } from '../../src/store/hosted-notes.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readRange } from '../../src/store/ranges.ts';
import { readRepository } from '../../src/store/repositories.ts';
import { readDraftRevision, readFlags, readTexts } from '../../src/store/revisions.ts';
import { readTag } from '../../src/store/tags.ts';

/**
 * What a channel would send.
 * @throws ServiceError `notFound` when the draft or its revision is gone, `invalid` when the channel cannot publish it
 */
export function payload(partition: Partition, task: PayloadTask): Payload {
  const channel = channelOf(task.channel);
  const note = noteOf(partition, task);
  try {
    return { payload: channel.render(note, task.settings) };
  } catch (error) {
    if ((error as Error).name !== 'DeliveryError') throw error;
    throw invalid({ channel: (error as Error).message }, 'The channel cannot publish this draft.');
  }
}

function noteOf(partition: Partition, task: PayloadTask): Note {
  const draft = readDraft(partition, task.draftId);
  const range = draft && readRange(partition, draft.rangeId);
  const repository = draft && readRepository(partition, draft.repoId);
  if (!draft || !range || !repository) throw notFound('Draft', task.draftId);
  const revision = readDraftRevision(partition, draft.id, task.revision);
  if (!revision) throw notFound('Revision', String(task.revision));
  const { fromTag = null, toTag = null } = range.bounds;
  const version = versionOf(range);
  return {
    publicationId: task.publicationId,
    repository: repositoryOf(repository),
    version,
    tag: toTag,
    previousTag: fromTag,
    compareUrl: comparison(draft, range, repository),
    date: dateOf(partition, range),
    persona: draft.persona,
    bodyMd: readTexts(partition, draft, revision).bodyMd,
    flags: readFlags(partition, draft, revision).flags,
    asDraft: task.asDraft,
    pageUrl: pageOf(partition, task, draft, version),
  };
}

/**
 * The page of the version: the one that is being published, else one that is there and meant for readers of this draft. What is
 * written for others is not where readers should be led.
 */
function pageOf(
  partition: Partition,
  { channel, pagesUrl }: PayloadTask,
  { repoId, persona }: DraftRecord,
  version: string,
): string | null {
  if (pagesUrl === null) return null;
  if (channel === 'hosted') return pageUrl(pagesUrl, version);
  const page = readHostedNote(partition, repoId, version);
  return page && (page.persona === persona || page.persona === 'customer') ? pageUrl(pagesUrl, version) : null;
}

function repositoryOf({ id, fullName, url, private: isPrivate, defaultBranch }: RepositoryRecord): Note['repository'] {
  return { id, fullName, url, private: isPrivate, defaultBranch: defaultBranch ?? 'main' };
}

/** The heading of a version: its later tag, or what names the range. */
function versionOf({ bounds }: RangeRecord): string {
  const { toTag, fromDate, toDate, fromPrNumber, toPrNumber } = bounds;
  if (toTag !== undefined) return toTag;
  if (toDate !== undefined) return fromDate === toDate ? toDate : `${fromDate} to ${toDate}`;
  return fromPrNumber === toPrNumber ? `Change ${toPrNumber}` : `Changes ${fromPrNumber} to ${toPrNumber}`;
}

/** Customers get no link that they could not follow. */
function comparison(draft: DraftRecord, { bounds }: RangeRecord, repository: RepositoryRecord): string | null {
  const { fromTag, toTag } = bounds;
  if (fromTag === undefined || toTag === undefined) return null;
  return draft.persona === 'customer' && repository.private ? null : compareUrl(repository.url, fromTag, toTag);
}

function dateOf(partition: Partition, { repoId, bounds, createdAt }: RangeRecord): number {
  if (bounds.toDate !== undefined) return Date.parse(`${bounds.toDate}T00:00:00Z`);
  const tag = bounds.toTag === undefined ? undefined : readTag(partition, repoId, bounds.toTag);
  return tag ? (tag.date ?? tag.pushedAt) : createdAt;
}

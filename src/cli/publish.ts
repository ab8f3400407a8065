/**
 * `tidings publish DRAFT_ID --channel CHANNEL`: publishes a draft as the API does, and reports the result. If the
 * publication has not ended after a few seconds, the command ends and the service continues the publication.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiContext, partitionOfId, readPartition } from '../api/context.ts';
import { publicationRoutes } from '../api/publications.ts';
import { checkPublish, publish } from '../api/publish.ts';
import { conflictsOf, describeWarning } from '../foundation/conflicts.ts';
import { notFound, ServiceError } from '../foundation/errors.ts';
import { slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import type { ChannelName } from '../protocol/channels.ts';
import type { PublicationWarning } from '../protocol/conflicts.ts';
import type { PublishBody } from '../protocol/resources/publications.ts';
import type { DraftRecord } from '../protocol/stored.ts';
import type { Partition } from '../store/partition.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { call } from './api.ts';
import { withService } from './connection.ts';
import { printLines } from './print.ts';
import type { publishEntry } from './table/notes.ts';
import { ConflictError, type Run } from './usage.ts';

/** Interval between two reads of a publication that has not ended, in milliseconds. */
const pollMs = 1000;

/** The part of the reply that is printed. */
export interface PublishReply {
  id: string;
  status: string;
  url: string | null;
  error: string | null;
  warnings: PublicationWarning[];
}

export const runPublish: Run<typeof publishEntry> = ({ channel, draft = false, strict = false }, [draftId = '']) =>
  withService((context) => publishDraft(context, checkPublish({ draftId, channel, draft, strict })));

async function publishDraft(
  context: ApiContext,
  { draftId, channel, draft: asDraft = false, strict = false }: PublishBody,
): Promise<number> {
  const name = slotOfId(draftId, 'draft') === undefined ? undefined : partitionOfId(context, draftId);
  const partition = name === undefined ? undefined : readPartition(context, name);
  const draft = partition && readDraft(partition, draftId);
  if (!partition || !draft) throw notFound('Draft', draftId);
  return report(await publishOn(context, partition, draft, { channel, asDraft, strict }));
}

/**
 * Publishes a draft, and returns the part of the reply that commands print.
 * @throws ConflictError when the publication is strict and the draft is outdated or has conflicts
 */
async function publishOn(
  context: ApiContext,
  partition: Partition,
  draft: DraftRecord,
  how: { channel: ChannelName; asDraft: boolean; strict: boolean },
): Promise<PublishReply> {
  const asked = { context, directory: readPartition(context, directoryName), once: undefined };
  try {
    const { body } = await publish(asked, partition, draft, how);
    return body as PublishReply;
  } catch (error) {
    throw isAboutWarnings(error, draft) ? new ConflictError(error.message) : error;
  }
}

/** Publishes a draft as {@link publishOn} does, and waits until the publication has ended. */
export async function publishToEnd(
  context: ApiContext,
  draftId: string,
  how: { channel: ChannelName; asDraft: boolean; strict: boolean },
): Promise<PublishReply> {
  const partition = readPartition(context, partitionOfId(context, draftId) as string);
  let reply = await publishOn(context, partition, readDraft(partition, draftId) as DraftRecord, how);
  while (reply.status === 'processing') {
    await pause(pollMs);
    reply = await call<PublishReply>(context, publicationRoutes, 'getPublication', { params: [reply.id] });
  }
  return reply;
}

/** Whether an error names in its details that a draft is outdated, or conflicts of the draft. */
function isAboutWarnings(error: unknown, { bodyMd }: DraftRecord): error is ServiceError {
  const named = error instanceof ServiceError && error.kind === 'conflict' ? error.details : undefined;
  return named !== undefined && ('outdated' in named || conflictsOf(bodyMd).some(({ id }) => id in named));
}

function report({ id, status, url, error, warnings }: PublishReply): number {
  const more =
    status === 'processing' ? `The publication continues in the service: see GET /api/publications/${id}.` : error;
  printLines([`${id}  ${status}${url === null ? '' : `  ${url}`}`, ...(more ? [more] : []), ...warnings.map(toLine)]);
  return status === 'failed' ? 1 : 0;
}

function toLine(warning: PublicationWarning): string {
  return `Warning: ${describeWarning(warning)}${warning.kind === 'conflict' ? `: ${warning.text}` : ''}`;
}

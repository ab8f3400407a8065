/**
 * Publishes drafts and previews publications (spec part 4). The gateway looks up the connection and the policy of the
 * organization. The fold decides whether the publication is new, and the worker of the partition sends it.
 */
import { warningsOf } from '../foundation/conflicts.ts';
import { invalid, ServiceError } from '../foundation/errors.ts';
import { newId, slotInside } from '../foundation/ids.ts';
import type { PartitionName } from '../foundation/partition-names.ts';
import { ask } from '../journal/query.ts';
import type { ChannelName, Connection } from '../protocol/channels.ts';
import type { Command } from '../protocol/commands.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import { type PublishBody, PublishBodySchema, publicationContracts } from '../protocol/resources/publications.ts';
import type { DraftRecord } from '../protocol/stored.ts';
import type { Payload, PayloadTask } from '../protocol/tasks.ts';
import { defaultConnection } from '../store/connections.ts';
import type { Partition } from '../store/partition.ts';
import {
  assertRangeFits,
  connectionFor,
  lacksVersion,
  type PagesOf,
  type Published,
  pagesOf,
} from '../store/publishable.ts';
import { effectiveChannel } from '../store/tables/channels.ts';
import { type DirectoryRepository, readDirectoryRepository } from '../store/tables/directory.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { readCursor } from '../store/tables/meta.ts';
import {
  hasEnded,
  maxWarnings,
  publicationResponse,
  publicationVerdict,
  readPublication,
} from '../store/tables/publications.ts';
import { type ApiContext, partitionOfId, readPartition, runCommand } from './context.ts';
import { assertHostWritable } from './publishable.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './route.ts';
import { visible } from './stored-object.ts';
import { check } from './validate.ts';

/**
 * Maximum time that a request waits for the end of its publication, in milliseconds. When no signal arrives, the
 * request checks the publication every `pollMs` milliseconds.
 */
const endMs = 5000;
const pollMs = 250;

const publishDraft: ApiRoute = {
  method: 'POST',
  path: '/api/publish',
  operation: 'publishDraft',
  contract: publicationContracts.publishDraft,
  scope: 'publish:write',
  query: NoQuerySchema,
  checkBody: checkPublish,
  once: { home: ({ body }) => (body as { draftId?: unknown } | null)?.draftId, reply: repeatedReply },
  handle: async (request) => {
    const { channel, draft: asDraft = false, strict = false, draftId } = checkPublish(request.body);
    const { partition, record: draft } = visible(request, draftId, draftKind);
    return publish(request, partition, draft, { channel, asDraft, strict });
  },
};

/**
 * Publishes the current revision of a draft. Replies when the publication has ended, or after five seconds.
 * @param how the channel, whether a draft release is created, and whether warnings prevent the publication
 * @throws ServiceError `forbidden`, or `conflict` for a draft that is not ready or has warnings, or a channel that is
 *   not connected
 */
export async function publish(
  asked: Pick<ApiRequest, 'context' | 'directory' | 'once'>,
  partition: Partition,
  draft: DraftRecord,
  { channel, asDraft, strict }: { channel: ChannelName; asDraft: boolean; strict: boolean },
): Promise<ApiReply> {
  assertReady(draft);
  const through = await checkedConnection(asked, partition, draft, channel);
  const { id: draftId, revision } = draft;
  const publicationId = newId('pub', slotInside(draftId));
  const what = { publicationId, draftId, revision, channel, asDraft };
  return runToEnd(asked, partition.name, { name: 'publish', ...what, ...through, strict });
}

const previewPublication: ApiRoute = {
  method: 'POST',
  path: '/api/publish/preview',
  operation: 'previewPublication',
  contract: publicationContracts.previewPublication,
  scope: 'drafts:read',
  query: NoQuerySchema,
  checkBody: checkPublish,
  handle: async (request) => {
    const { channel, draft: asDraft = false, draftId } = checkPublish(request.body);
    const { partition, record: draft } = visible(request, draftId, draftKind);
    assertReady(draft);
    const provisional = lacksVersion(partition, draft.rangeId, channel);
    if (!provisional) assertRangeFits(partition, draft.rangeId, channel);
    const { directory, context } = request;
    const { orgId, id } = readDirectoryRepository(directory, draft.repoId) as DirectoryRepository;
    const stored = effectiveChannel(directory, orgId, id, channel);
    const settings = stored?.settings ?? defaultConnection(context.sealer, orgId, channel).settings;
    const publicationId = newId('pub', slotInside(draftId));
    const what = { publicationId, repoId: draft.repoId, draftId, revision: draft.revision };
    const { settings: own, sealer } = context;
    const shown = pagesOf({ settings: own, sealer, directory, partition }, draft);
    const question: PayloadTask = { task: 'payload', ...what, channel, asDraft, settings, provisional, ...shown };
    const { payload, provisionalVersion = null } = await ask<PayloadTask, Payload>(
      context.journal,
      partition.name,
      question,
    );
    const warnings = warningsOf(draft.bodyMd, draft.outdatedBecause).slice(0, maxWarnings);
    return { status: 200, body: { channel, payload, provisionalVersion, warnings } };
  },
};

/** Checks the body of a publication or a preview. */
export function checkPublish(body: unknown): PublishBody {
  const publish = check<PublishBody>(PublishBodySchema, body, 'body');
  if (publish.draft && publish.channel !== 'scm_releases')
    throw invalid({ draft: `expected false for the channel ${publish.channel}, got true` }, 'The body is invalid.');
  return publish;
}

const draftKind = { prefix: 'draft', resource: 'Draft', read: readDraft } as const;

function assertReady({ id, status }: DraftRecord): void {
  if (status === 'ready') return;
  throw new ServiceError('conflict', `Draft ${id} is ${status}. Only a draft that is ready can be published.`, {
    ...(status === 'processing' && { retryAfter: 1 }),
  });
}

/**
 * Returns the connection for a publication, after all checks that the gateway makes.
 * @throws ServiceError `conflict` when the channel is not connected or cannot publish this draft, `forbidden` when the
 *   policy of the organization refuses the publication
 */
export async function checkedConnection(
  { context, directory }: Pick<ApiRequest, 'context' | 'directory'>,
  partition: Partition,
  published: Published,
  channel: ChannelName,
): Promise<{ connection: Connection } & PagesOf> {
  const { settings, sealer } = context;
  const through = connectionFor({ settings, sealer, directory, partition }, published, channel);
  await assertHostWritable({ context, directory }, published.repoId, channel);
  return through;
}

/**
 * Carries out a command that starts or resends a publication. Replies as soon as the publication has ended, and after
 * five seconds at the latest.
 */
export async function runToEnd(
  { context, once }: Pick<ApiRequest, 'context' | 'once'>,
  partition: PartitionName,
  command: Extract<Command, { name: 'publish' | 'resendPublication' }>,
): Promise<ApiReply> {
  const { id } = await runCommand<{ id: string }>(context, partition, { ...command, reports: true }, once);
  return ended(context, id);
}

/** Makes the reply to a repeated request from the current state of the publication. */
export function repeatedReply(value: unknown, { context }: Pick<ApiRequest, 'context'>): ApiReply {
  return currentReply(context, (value as { id: string }).id);
}

async function ended(context: ApiContext, id: string): Promise<ApiReply> {
  const name = partitionOfId(context, id) as string;
  const deadline = performance.now() + endMs;
  for (;;) {
    const partition = readPartition(context, name);
    const publication = readPublication(partition, id);
    const left = deadline - performance.now();
    if (!publication || hasEnded(publication) || left <= 0) return currentReply(context, id);
    await context.signals.wait(name, readCursor(partition).seq + 1, Math.min(pollMs, left));
  }
}

/**
 * Makes the reply with the current state of a publication. The state `pending` (no attempt has begun) is shown as
 * `processing`.
 */
function currentReply(context: ApiContext, id: string): ApiReply {
  const partition = readPartition(context, partitionOfId(context, id) as string);
  const publication = readPublication(partition, id);
  if (!publication) throw new ServiceError('conflict', `Publication ${id} was created, but has been deleted since.`);
  const { status } = publication;
  const shown = { ...publication, status: status === 'pending' ? 'processing' : status } as const;
  const body = publicationResponse(shown, publicationVerdict(partition, publication));
  return { status: 201, body, headers: ['Location', `/api/publications/${id}`] };
}

export const publishRoutes = [publishDraft, previewPublication];

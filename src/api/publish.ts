/**
 * Publish Draft and its preview (spec part 4). The connection in force and the organisation's policy are looked up here; the
 * partition decides whether it is a new publication, and its worker sends it.
 */
import { mailNeedsPublicUrl, publicUrlOf } from '../../config/public-url.ts';
import { invalid, ServiceError } from '../foundation/errors.ts';
import { newId, slotOfId } from '../foundation/ids.ts';
import { pagesUrl, personaPath } from '../foundation/page-url.ts';
import { ask } from '../journal/query.ts';
import type { PartitionName } from '../journal/subjects.ts';
import { NoQuerySchema, type PublishBody, PublishBodySchema } from '../protocol/api.ts';
import { type ChannelName, type Connection, channelTraits } from '../protocol/channels.ts';
import type { Command } from '../protocol/commands.ts';
import { publishingContracts } from '../protocol/contracts/publishing.ts';
import type { PublicationRecord } from '../protocol/publications.ts';
import type { DraftRecord } from '../protocol/stored.ts';
import type { Payload, PayloadTask } from '../protocol/tasks.ts';
import type { Partition } from '../store/partition.ts';
import { effectiveChannel } from '../store/tables/channels.ts';
import { type DirectoryRepository, readDirectoryRepository } from '../store/tables/directory.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { hostedSettings } from '../store/tables/hosted-settings.ts';
import { readCursor } from '../store/tables/meta.ts';
import { readPolicy } from '../store/tables/policies.ts';
import { hasEnded, publicationResponse, readPublication } from '../store/tables/publications.ts';
import { readRepository } from '../store/tables/repositories.ts';
import { defaultConnection } from './channel-writes.ts';
import { connectionInForce } from './channels.ts';
import { type ApiContext, carryOut, partitionOfId, readPartition } from './context.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './handle.ts';
import { assertHostWritable, assertPagesShown, assertRangeFits } from './publishable.ts';
import { visible } from './stored-object.ts';
import { check } from './validate.ts';

/** How long a request waits for the end of its publication, and how often it looks without a signal, in milliseconds. */
const endMs = 5000;
const lookMs = 250;

const publishDraft: ApiRoute = {
  method: 'POST',
  path: '/api/publish',
  operation: 'publishDraft',
  contract: publishingContracts.publishDraft,
  scope: 'publish:write',
  query: NoQuerySchema,
  checkBody: checkPublish,
  once: { home: ({ body }) => (body as { draftId?: unknown } | null)?.draftId, reply: toldAgain },
  handle: async (request) => {
    const { channel, draft: asDraft = false, draftId } = checkPublish(request.body);
    const { partition, record: draft } = visible(request, draftId, draftKind);
    return publish(request, partition, draft, channel, asDraft);
  },
};

/**
 * Publishes a draft as it is now, and replies once that has ended, or has been waited for long enough.
 * @throws ServiceError `conflict` for a draft that is not ready or a channel that is not connected, `forbidden`
 */
export async function publish(
  asked: Pick<ApiRequest, 'context' | 'directory' | 'once'>,
  partition: Partition,
  draft: DraftRecord,
  channel: ChannelName,
  asDraft: boolean,
): Promise<ApiReply> {
  assertReady(draft);
  const through = await connectionFor(asked, partition, draft, channel);
  const { id: draftId, revision } = draft;
  const publicationId = newId('pub', slotOfId(draftId) as number);
  const what = { publicationId, draftId, revision, channel, asDraft };
  return carryOutToEnd(asked, partition.name, { name: 'publish', ...what, ...through });
}

const previewPublication: ApiRoute = {
  method: 'POST',
  path: '/api/publish/preview',
  operation: 'previewPublication',
  contract: publishingContracts.previewPublication,
  scope: 'drafts:read',
  query: NoQuerySchema,
  checkBody: checkPublish,
  handle: async (request) => {
    const { channel, draft: asDraft = false, draftId } = checkPublish(request.body);
    const { partition, record: draft } = visible(request, draftId, draftKind);
    assertReady(draft);
    assertRangeFits(partition, draft.rangeId, channel);
    const { directory, context } = request;
    const { orgId, id } = readDirectoryRepository(directory, draft.repoId) as DirectoryRepository;
    const stored = effectiveChannel(directory, orgId, id, channel);
    const settings = stored?.settings ?? defaultConnection(context.sealer, orgId, channel).settings;
    const publicationId = newId('pub', slotOfId(draftId) as number);
    const what = { publicationId, repoId: draft.repoId, draftId, revision: draft.revision };
    const shown = pagesOf(context, directory, draft);
    const question: PayloadTask = { task: 'payload', ...what, channel, asDraft, settings, ...shown };
    const { payload } = await ask<PayloadTask, Payload>(context.journal, partition.name, question);
    return { status: 200, body: { channel, payload } };
  },
};

/** What the two operations take alike. */
export function checkPublish(body: unknown): PublishBody {
  const publish = check<PublishBody>(PublishBodySchema, body, 'body');
  if (publish.draft && publish.channel !== 'scm_releases')
    throw invalid({ draft: `expected false for the channel ${publish.channel}, got true` }, 'The body is invalid.');
  return publish;
}

const draftKind = { prefix: 'draft', resource: 'Draft', read: readDraft } as const;

function assertReady({ id, status }: DraftRecord): void {
  if (status === 'ready') return;
  throw new ServiceError('conflict', `Draft ${id} is ${status}: only one that is ready can be published.`, {
    ...(status === 'processing' && { retryAfter: 1 }),
  });
}

/**
 * What a publication goes through: the connection of the repository, else of its organisation, else the channel's defaults.
 * @throws ServiceError `conflict` when the channel is not connected or cannot publish this, `forbidden` when the organisation's
 *   policy refuses it
 */
export async function connectionFor(
  { context, directory }: Pick<ApiRequest, 'context' | 'directory'>,
  partition: Partition,
  published: Published,
  channel: ChannelName,
): Promise<{ connection: Connection } & PagesOf> {
  const { repoId, rangeId, persona } = published;
  const { orgId } = readDirectoryRepository(directory, repoId) as DirectoryRepository;
  if (
    channelTraits[channel].isPublic &&
    persona !== 'customer' &&
    readPolicy(directory, orgId).refuseInternalOnPublicChannels
  ) {
    const policy = 'refuseInternalOnPublicChannels';
    throw new ServiceError(
      'forbidden',
      `The policy ${policy} of the organization refuses drafts for ${persona} readers on the public channel ${channel}.`,
    );
  }
  assertRangeFits(partition, rangeId, channel);
  const connection = connectionInForce({ context, directory }, { orgId, repoId }, channel);
  if (channel === 'email' && context.settings.publicUrl === '') throw new ServiceError('conflict', mailNeedsPublicUrl);
  const pages = pagesOf(context, directory, published);
  assertPagesShown(channel, pages.pagesUrl);
  await assertHostWritable({ context, directory }, repoId, channel);
  return { connection, ...pages };
}

/** What is published: a draft, or that of a publication. */
type Published = Pick<DraftRecord | PublicationRecord, 'repoId' | 'rangeId' | 'persona'>;

/** Where the repository's notes are shown, and where this draft's page is among them. */
type PagesOf = Pick<PublicationRecord, 'pagesUrl' | 'personaPath'>;

function pagesOf(context: ApiContext, directory: Partition, published: Published): PagesOf {
  const path = personaPathOf(context, published);
  return {
    pagesUrl: pagesUrlOf(context, directory, published.repoId),
    ...(path !== undefined && { personaPath: path }),
  };
}

/**
 * Where a draft's page is below that of its version; undefined for customers, whose page that is. The address of an internal page
 * follows from a key of the instance, so that it stays the same for later revisions.
 */
export function personaPathOf({ sealer }: ApiContext, { repoId, rangeId, persona }: Published): string | undefined {
  return personaPath(persona, sealer.mac(rangeId, ['internal page', repoId]));
}

/** Where the repository's notes are shown, to everybody or to those who have the address; null while they are to nobody. */
export function pagesUrlOf(context: ApiContext, directory: Partition, repoId: string): string | null {
  const { orgId, fullName } = readDirectoryRepository(directory, repoId) as DirectoryRepository;
  const repository = readRepository(readPartition(context, partitionOfId(context, repoId) as string), repoId);
  const { visibility, key } = hostedSettings(directory, orgId, repoId, repository?.private !== false);
  if (visibility === 'off') return null;
  return pagesUrl(publicUrlOf(context.settings), fullName, visibility === 'unlisted' ? key : undefined);
}

/** Asks for a publication, and replies once it has ended, or once that has been waited for long enough. */
export async function carryOutToEnd(
  { context, once }: Pick<ApiRequest, 'context' | 'once'>,
  partition: PartitionName,
  command: Extract<Command, { name: 'publish' | 'resendPublication' }>,
): Promise<ApiReply> {
  const { id } = await carryOut<{ id: string }>(context, partition, command, once);
  return ended(context, id);
}

/** The reply to a repeated request. */
export function toldAgain(value: unknown, { context }: Pick<ApiRequest, 'context'>): ApiReply {
  return told(context, (value as { id: string }).id);
}

async function ended(context: ApiContext, id: string): Promise<ApiReply> {
  const name = partitionOfId(context, id) as string;
  const deadline = performance.now() + endMs;
  for (;;) {
    const partition = readPartition(context, name);
    const publication = readPublication(partition, id);
    const left = deadline - performance.now();
    if (!publication || hasEnded(publication) || left <= 0) return told(context, id);
    await context.signals.wait(name, readCursor(partition).seq + 1, Math.min(lookMs, left));
  }
}

/** The reply of now. What has not ended is `processing` here, whether or not its first attempt has begun. */
function told(context: ApiContext, id: string): ApiReply {
  const partition = readPartition(context, partitionOfId(context, id) as string);
  const publication = readPublication(partition, id);
  if (!publication) throw new ServiceError('conflict', `Publication ${id} was made and deleted since.`);
  const { status } = publication;
  const body = publicationResponse({ ...publication, status: status === 'pending' ? 'processing' : status });
  return { status: 201, body, headers: ['Location', `/api/publications/${id}`] };
}

export const publishRoutes = [publishDraft, previewPublication];

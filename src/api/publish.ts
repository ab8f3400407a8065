/**
 * Publishes drafts and previews publications (spec part 4). The gateway looks up the connection and the policy of the
 * organization. The fold decides whether the publication is new, and the worker of the partition sends it.
 */
import { mailNeedsPublicUrl, publicUrlOf } from '../../config/public-url.ts';
import { warningsOf } from '../foundation/conflicts.ts';
import { invalid, ServiceError } from '../foundation/errors.ts';
import { newId, slotInside } from '../foundation/ids.ts';
import { pagesUrl, personaPath } from '../foundation/page-url.ts';
import type { PartitionName } from '../foundation/partition-names.ts';
import { ask } from '../journal/query.ts';
import { type ChannelName, type Connection, channelTraits } from '../protocol/channels.ts';
import type { Command } from '../protocol/commands.ts';
import type { PublicationRecord } from '../protocol/publications.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import { type PublishBody, PublishBodySchema, publicationContracts } from '../protocol/resources/publications.ts';
import type { DraftRecord } from '../protocol/stored.ts';
import type { Payload, PayloadTask } from '../protocol/tasks.ts';
import type { Partition } from '../store/partition.ts';
import { effectiveChannel } from '../store/tables/channels.ts';
import { type DirectoryRepository, readDirectoryRepository } from '../store/tables/directory.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { hostedSettings } from '../store/tables/hosted-settings.ts';
import { readCursor } from '../store/tables/meta.ts';
import { readPolicy } from '../store/tables/policies.ts';
import {
  hasEnded,
  maxWarnings,
  publicationResponse,
  publicationVerdict,
  readPublication,
} from '../store/tables/publications.ts';
import { readRepository } from '../store/tables/repositories.ts';
import { defaultConnection } from './channel-writes.ts';
import { connectionInForce } from './channels.ts';
import { type ApiContext, partitionOfId, readPartition, runCommand } from './context.ts';
import { assertHostWritable, assertPagesShown, assertRangeFits } from './publishable.ts';
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
  const through = await connectionFor(asked, partition, draft, channel);
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
    assertRangeFits(partition, draft.rangeId, channel);
    const { directory, context } = request;
    const { orgId, id } = readDirectoryRepository(directory, draft.repoId) as DirectoryRepository;
    const stored = effectiveChannel(directory, orgId, id, channel);
    const settings = stored?.settings ?? defaultConnection(context.sealer, orgId, channel).settings;
    const publicationId = newId('pub', slotInside(draftId));
    const what = { publicationId, repoId: draft.repoId, draftId, revision: draft.revision };
    const shown = pagesOf(context, directory, draft);
    const question: PayloadTask = { task: 'payload', ...what, channel, asDraft, settings, ...shown };
    const { payload } = await ask<PayloadTask, Payload>(context.journal, partition.name, question);
    return {
      status: 200,
      body: { channel, payload, warnings: warningsOf(draft.bodyMd, draft.outdatedBecause).slice(0, maxWarnings) },
    };
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
 * Returns the connection for a publication: the repository's connection, else the organization's connection, else the
 * defaults of the channel.
 * @throws ServiceError `conflict` when the channel is not connected or cannot publish this draft, `forbidden` when the
 *   policy of the organization refuses the publication
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

/** The fields of a draft or a publication that are needed to find the pages of the draft. */
type Published = Pick<DraftRecord | PublicationRecord, 'repoId' | 'rangeId' | 'persona'>;

/** Address of the pages of the repository's notes, and the path of the draft's page below that address. */
type PagesOf = Pick<PublicationRecord, 'pagesUrl' | 'personaPath'>;

function pagesOf(context: ApiContext, directory: Partition, published: Published): PagesOf {
  const path = personaPathOf(context, published);
  return {
    pagesUrl: pagesUrlOf(context, directory, published.repoId),
    ...(path !== undefined && { personaPath: path }),
  };
}

/**
 * Returns the path of a draft's page, relative to the page of its version. Returns undefined for a draft for customers,
 * because the page of the version itself shows this draft. The path of an internal page is derived from a secret of the
 * instance, so no one can guess the path. All revisions of a draft have the same path.
 */
export function personaPathOf({ sealer }: ApiContext, { repoId, rangeId, persona }: Published): string | undefined {
  return personaPath(persona, sealer.mac(rangeId, ['internal page', repoId]));
}

/** Returns the address of the repository's public or unlisted pages; null while its pages are off. */
export function pagesUrlOf(context: ApiContext, directory: Partition, repoId: string): string | null {
  const { orgId, fullName } = readDirectoryRepository(directory, repoId) as DirectoryRepository;
  const repository = readRepository(readPartition(context, partitionOfId(context, repoId) as string), repoId);
  const { visibility, key } = hostedSettings(directory, orgId, repoId, repository?.private !== false);
  if (visibility === 'off') return null;
  return pagesUrl(publicUrlOf(context.settings), fullName, visibility === 'unlisted' ? key : undefined);
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

/**
 * Connections of channels, of an organisation or of one of its repositories: list, get, put, remove, try. Secrets are taken
 * and never answered.
 */
import { invalid, notFound, ServiceError } from '../foundation/errors.ts';
import { toEtag } from '../foundation/etag.ts';
import { slotOfId } from '../foundation/ids.ts';
import { ask } from '../journal/query.ts';
import { directoryName } from '../journal/subjects.ts';
import {
  type ChannelQuery,
  ChannelQuerySchema,
  EmptyBodySchema,
  type ListChannelsQuery,
  ListChannelsQuerySchema,
} from '../protocol/api.ts';
import { type ChannelName, type Connection, channelNames, channelTraits } from '../protocol/channels.ts';
import { publishingContracts } from '../protocol/contracts/publishing.ts';
import type { ChannelTest, TestChannelTask } from '../protocol/tasks.ts';
import {
  channelDigest,
  channelResponse,
  effectiveChannel,
  readChannel,
  toConnection,
} from '../store/tables/channels.ts';
import { readDirectoryRepository, readOrganisation } from '../store/tables/directory.ts';
import { assertVisible } from './authenticate.ts';
import { assertOpens, channelRecord, defaultConnection, type Owner } from './channel-writes.ts';
import { readIfMatch } from './conditional.ts';
import { type ApiContext, carryOut, readPartition } from './context.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './handle.ts';
import { page } from './page.ts';
import { assertHostWritable } from './publishable.ts';
import { check } from './validate.ts';

/** How often a put without If-Match is made anew because others come first; in each round one of them is through. */
const mostRounds = 100;

type Asked = Pick<ApiRequest<ChannelQuery>, 'caller' | 'directory' | 'query' | 'context'>;

const listChannels: ApiRoute<ListChannelsQuery> = {
  method: 'GET',
  path: '/api/channels',
  operation: 'listChannels',
  contract: publishingContracts.listChannels,
  scope: 'orgs:read',
  query: ListChannelsQuerySchema,
  handle: (request) => {
    const owner = ownerOf(request);
    const sortable = (channel: ChannelName) => {
      const at = channelNames.indexOf(channel);
      return { id: channel, name: channel, createdAt: at, updatedAt: at };
    };
    const { items, ...rest } = page(channelNames, request.query, sortable, { sort: 'createdAt', order: 'asc' });
    return { status: 200, body: { channels: items.map((channel) => stateOf(request, owner, channel)), ...rest } };
  },
};

const getChannel: ApiRoute<ChannelQuery> = {
  method: 'GET',
  path: '/api/channels/:channel',
  operation: 'getChannel',
  contract: publishingContracts.getChannel,
  scope: 'orgs:read',
  query: ChannelQuerySchema,
  handle: (request) => {
    return replyOf(request, ownerOf(request), channelNamed(request.params[0]));
  },
};

const putChannel: ApiRoute<ChannelQuery> = {
  method: 'PUT',
  path: '/api/channels/:channel',
  operation: 'putChannel',
  contract: publishingContracts.putChannel,
  scope: 'orgs:write',
  query: ChannelQuerySchema,
  checkBody: settingsOf,
  handle: async (request) => {
    const channel = channelNamed(request.params[0]);
    const owner = ownerOf(request);
    const ifMatch = readIfMatch(request.headers['if-match']);
    await putConnection(request.context, owner, channel, settingsOf(request.body), ifMatch);
    return replyOf(afterwards(request), owner, channel);
  },
};

const removeChannel: ApiRoute<ChannelQuery> = {
  method: 'DELETE',
  path: '/api/channels/:channel',
  operation: 'removeChannel',
  contract: publishingContracts.removeChannel,
  scope: 'orgs:write',
  query: ChannelQuerySchema,
  handle: async (request) => {
    const channel = channelNamed(request.params[0]);
    const owner = ownerOf(request);
    const { directory, context } = request;
    if (!readChannel(directory, owner.orgId, owner.repoId, channel)) throw notFound('Connection of channel', channel);
    await carryOut(context, directoryName, { name: 'removeChannel', ...owner, channel });
    return { status: 200, body: stateOf(afterwards(request), owner, channel) };
  },
};

const testChannel: ApiRoute<ChannelQuery> = {
  method: 'POST',
  path: '/api/channels/:channel/test',
  operation: 'testChannel',
  contract: publishingContracts.testChannel,
  scope: 'orgs:write',
  query: ChannelQuerySchema,
  checkBody: (body) => check(EmptyBodySchema, body, 'body'),
  handle: async (request) => {
    const channel = channelNamed(request.params[0]);
    const { orgId, repoId } = ownerOf(request);
    check(EmptyBodySchema, request.body, 'body');
    if (repoId === null && channelTraits[channel].needsRepository)
      throw invalid({ repoId: `expected a repository to try the channel ${channel} with` }, 'The query is invalid.');
    const connection = connectionInForce(request, { orgId, repoId }, channel);
    // It would reach the receiver; what is answered in test mode is made up anyway.
    if (request.test) return { status: 200, body: {} };
    if (repoId !== null) await assertHostWritable(request, repoId, channel);
    const tried = await tryConnection(request.context, connection, repoId, channel);
    return { status: 200, body: { channel, ...tried } };
  },
};

/** @throws ServiceError `conflict` when the channel needs a connection and has none, or when its secrets do not open */
export function connectionInForce(
  { directory, context }: Pick<Asked, 'directory' | 'context'>,
  { orgId, repoId }: Owner,
  channel: ChannelName,
): Connection {
  const stored = effectiveChannel(directory, orgId, repoId, channel);
  if (stored) {
    assertOpens(context.sealer, stored);
    return toConnection(stored);
  }
  if (channelTraits[channel].isBuiltIn) return defaultConnection(context.sealer, orgId, channel);
  throw new ServiceError('conflict', `The channel ${channel} is not connected: see PUT /api/channels/${channel}.`);
}

/** Tries a connection: a test message, or a look at the access. */
export function tryConnection(
  { journal }: Pick<ApiContext, 'journal'>,
  connection: Connection,
  repoId: string | null,
  channel: ChannelName,
): Promise<ChannelTest> {
  const question: TestChannelTask = { task: 'testChannel', channel, connection, repoId };
  return ask<TestChannelTask, ChannelTest>(journal, directoryName, question);
}

/**
 * Puts settings in place of the stored ones. Secrets that stay are those that were read here: when somebody else puts others
 * meanwhile, they are read again.
 */
export async function putConnection(
  context: ApiContext,
  owner: Owner,
  channel: ChannelName,
  put: Record<string, unknown>,
  ifMatch?: string[],
): Promise<void> {
  for (let left = mostRounds; ; left--) {
    const directory = readPartition(context, directoryName);
    const before = readChannel(directory, owner.orgId, owner.repoId, channel);
    const record = channelRecord(context, owner, channel, put, before);
    const seen = channelDigest(channel, effectiveChannel(directory, owner.orgId, owner.repoId, channel));
    try {
      await carryOut(context, directoryName, { name: 'putChannel', record, ifMatch: ifMatch ?? [seen] });
      return;
    } catch (error) {
      const isOvertaken = error instanceof ServiceError && error.kind === 'preconditionFailed' && !ifMatch;
      if (!isOvertaken) throw error;
      if (left === 0)
        throw new ServiceError('unavailable', 'Others change this channel at the same time.', { retryAfter: 1 });
    }
  }
}

/** The request with the directory as of now. */
function afterwards(request: Asked): Asked {
  return { ...request, directory: readPartition(request.context, directoryName) };
}

function replyOf(request: Asked, owner: Owner, channel: ChannelName): ApiReply {
  const record = effectiveChannel(request.directory, owner.orgId, owner.repoId, channel);
  return { status: 200, body: stateOf(request, owner, channel), etag: toEtag(channelDigest(channel, record)) };
}

function stateOf({ directory, context }: Asked, { orgId, repoId }: Owner, channel: ChannelName): object {
  const { settings } = defaultConnection(context.sealer, orgId, channel);
  return channelResponse(channel, effectiveChannel(directory, orgId, repoId, channel), settings);
}

function channelNamed(name = ''): ChannelName {
  const channel = channelNames.find((each) => each === name);
  if (channel === undefined) throw notFound('Channel', name.slice(0, 80));
  return channel;
}

/**
 * Whose connection is meant: a repository's, else the organisation's of the key, else the one that a key of the instance names.
 * @throws ServiceError `notFound`, `invalid` when nobody is named
 */
function ownerOf({ caller, directory, query }: Asked): Owner {
  const { repoId, orgId } = query;
  const own = caller.key.orgId;
  if (repoId !== undefined) {
    assertVisible(caller, repoId, 'Repository', repoId);
    const owner = readDirectoryRepository(directory, repoId)?.orgId as string;
    if (orgId !== undefined && orgId !== owner) throw notFound('Organization', orgId);
    return { orgId: owner, repoId };
  }
  const wanted = orgId ?? own;
  if (wanted === null) throw invalid({ orgId: 'expected orgId or repoId, got neither' }, 'The query is invalid.');
  const known = slotOfId(wanted, 'org') !== undefined && readOrganisation(directory, wanted) !== undefined;
  if (!known || (own !== null && own !== wanted)) throw notFound('Organization', wanted);
  return { orgId: wanted, repoId: null };
}

/** Which fields there may be depends on the channel, so they are checked with those that stay. */
function settingsOf(body: unknown): Record<string, unknown> {
  const { settings, ...others } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const unknown = Object.keys(others).map((field) => [field.slice(0, 80), 'unknown; expected settings']);
  const isObject = typeof settings === 'object' && settings !== null && !Array.isArray(settings);
  const faults = Object.fromEntries(
    isObject ? unknown.slice(0, 20) : [...unknown.slice(0, 20), ['settings', 'expected an object']],
  );
  if (Object.keys(faults).length > 0) throw invalid(faults, 'The body is invalid.');
  return settings as Record<string, unknown>;
}

export const channelRoutes = [listChannels, getChannel, putChannel, removeChannel, testChannel];

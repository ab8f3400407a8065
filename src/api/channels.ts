/**
 * Lists, reads, writes, removes and tests channel connections. A connection belongs to an organization or to one of its
 * repositories. Replies never contain the secrets of a connection.
 */
import { invalid, notFound, ServiceError } from '../foundation/errors.ts';
import { toEtag } from '../foundation/etag.ts';
import { slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { askLead } from '../journal/query.ts';
import { type ChannelName, type Connection, channelTraits } from '../protocol/channels.ts';
import { channelNames } from '../protocol/names.ts';
import {
  type ChannelQuery,
  ChannelQuerySchema,
  channelContracts,
  type ListChannelsQuery,
  ListChannelsQuerySchema,
} from '../protocol/resources/channels.ts';
import { EmptyBodySchema } from '../protocol/resources/fields.ts';
import type { ChannelTest, TestChannelTask } from '../protocol/tasks.ts';
import { connectionInForce, defaultConnection, type Owner } from '../store/connections.ts';
import { channelDigest, channelResponse, effectiveChannel, readChannel } from '../store/tables/channels.ts';
import { readDirectoryRepository, readOrganization } from '../store/tables/directory.ts';
import { readLead } from '../store/tables/lead.ts';
import { assertVisible } from './authenticate.ts';
import { channelRecord } from './channel-writes.ts';
import { readIfMatch } from './conditional.ts';
import { type ApiContext, readPartition, runCommand } from './context.ts';
import { page } from './page.ts';
import { assertHostWritable } from './publishable.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './route.ts';
import { check } from './validate.ts';

/**
 * Maximum number of retries of a put without If-Match. A put is retried when a concurrent put has changed the
 * connection first. In every round of concurrent puts, one put succeeds.
 */
const maxRounds = 100;

type Asked = Pick<ApiRequest<ChannelQuery>, 'caller' | 'directory' | 'query' | 'context'>;

const listChannels: ApiRoute<ListChannelsQuery> = {
  method: 'GET',
  path: '/api/channels',
  operation: 'listChannels',
  contract: channelContracts.listChannels,
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
  contract: channelContracts.getChannel,
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
  contract: channelContracts.putChannel,
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
  contract: channelContracts.removeChannel,
  scope: 'orgs:write',
  query: ChannelQuerySchema,
  handle: async (request) => {
    const channel = channelNamed(request.params[0]);
    const owner = ownerOf(request);
    const { directory, context } = request;
    if (!readChannel(directory, owner.orgId, owner.repoId, channel)) throw notFound('Connection of channel', channel);
    await runCommand(context, directoryName, { name: 'removeChannel', ...owner, channel });
    return { status: 200, body: stateOf(afterwards(request), owner, channel) };
  },
};

const testChannel: ApiRoute<ChannelQuery> = {
  method: 'POST',
  path: '/api/channels/:channel/test',
  operation: 'testChannel',
  contract: channelContracts.testChannel,
  scope: 'orgs:write',
  query: ChannelQuerySchema,
  checkBody: (body) => check(EmptyBodySchema, body, 'body'),
  handle: async (request) => {
    const channel = channelNamed(request.params[0]);
    const { orgId, repoId } = ownerOf(request);
    check(EmptyBodySchema, request.body, 'body');
    if (repoId === null && channelTraits[channel].needsRepository)
      throw invalid(
        { repoId: `expected a repository id, because a test of the channel ${channel} needs a repository` },
        'The query is invalid.',
      );
    const connection = connectionInForce(request.context.sealer, request.directory, { orgId, repoId }, channel);
    // A test of a connection sends requests to the receiver. In test mode, nothing may be sent, so the handler returns
    // an empty reply here. The client gets a made-up reply in place of this empty reply.
    if (request.test) return { status: 200, body: {} };
    if (repoId !== null) await assertHostWritable(request, repoId, channel);
    const tried = await tryConnection(request.context, connection, repoId, channel);
    return { status: 200, body: { channel, ...tried } };
  },
};

/** Tests a connection. Depending on the channel, the test sends a message or checks the access to the receiver. */
export function tryConnection(
  { journal, readers }: Pick<ApiContext, 'journal' | 'readers'>,
  connection: Connection,
  repoId: string | null,
  channel: ChannelName,
): Promise<ChannelTest> {
  const question: TestChannelTask = { task: 'testChannel', channel, connection, repoId };
  const directory = readers.fresh(directoryName);
  return askLead<TestChannelTask, ChannelTest>(journal, directoryName, directory && readLead(directory), question);
}

/**
 * Replaces the settings of a connection. Secrets that the request omits are kept. Without `ifMatch`, the put is retried
 * on the new state when a concurrent request has changed the connection.
 * @param ifMatch digests of the states that may be replaced; undefined for any state
 * @throws ServiceError `invalid`; `preconditionFailed` when the state is not in `ifMatch`; `unavailable` after too many
 *   retries
 */
export async function putConnection(
  context: ApiContext,
  owner: Owner,
  channel: ChannelName,
  put: Record<string, unknown>,
  ifMatch?: string[],
): Promise<void> {
  for (let left = maxRounds; ; left--) {
    const directory = readPartition(context, directoryName);
    const before = readChannel(directory, owner.orgId, owner.repoId, channel);
    const record = channelRecord(context, owner, channel, put, before);
    const seen = channelDigest(channel, effectiveChannel(directory, owner.orgId, owner.repoId, channel));
    try {
      await runCommand(context, directoryName, { name: 'putChannel', record, ifMatch: ifMatch ?? [seen] });
      return;
    } catch (error) {
      const isOvertaken = error instanceof ServiceError && error.kind === 'preconditionFailed' && !ifMatch;
      if (!isOvertaken) throw error;
      if (left === 0)
        throw new ServiceError('unavailable', 'Other requests are changing this channel. Send the request again.', {
          retryAfter: 1,
        });
    }
  }
}

/** Returns a copy of the request. The copy contains the directory partition in the state after the write. */
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
 * Returns the owner of the connection: the repository that the query names, else the organization that the query names,
 * else the organization of the key.
 * @throws ServiceError `notFound`, or `invalid` when a request with an instance key names neither a repository nor an
 *   organization
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
  const known = slotOfId(wanted, 'org') !== undefined && readOrganization(directory, wanted) !== undefined;
  if (!known || (own !== null && own !== wanted)) throw notFound('Organization', wanted);
  return { orgId: wanted, repoId: null };
}

/**
 * Returns the settings in a body. Their fields depend on the channel and are checked later, together with the stored
 * secrets.
 * @throws ServiceError `invalid`
 */
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

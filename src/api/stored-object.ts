/**
 * Finds one stored object by its id, checks that the caller may see it, and replies with its stored bytes.
 */
import { notFound } from '../foundation/errors.ts';
import { type IdPrefix, slotOfId } from '../foundation/ids.ts';
import type { PartitionName } from '../foundation/partition-names.ts';
import type { Partition } from '../store/partition.ts';
import type { ReadyResponse } from '../store/tables/responses.ts';
import { assertVisible } from './authenticate.ts';
import { type ApiContext, currentPartition, partitionOfId, readPartition } from './context.ts';
import type { ApiReply, ApiRequest } from './route.ts';

/** The parts of a request that are needed to find an object. */
export type Asking = Pick<ApiRequest, 'caller' | 'context'>;

/**
 * Returns the current state of the partition that an id belongs to.
 * @throws ServiceError `notFound` with the name of the resource when the id does not begin with `prefix`
 */
export function partitionHolding({ context }: Asking, id: string, prefix: IdPrefix, resource: string): Partition {
  return readPartition(context, homeOf(context, id, prefix, resource));
}

function homeOf(context: ApiContext, id: string, prefix: IdPrefix, resource: string): PartitionName {
  const name = slotOfId(id, prefix) === undefined ? undefined : partitionOfId(context, id);
  if (name === undefined) throw notFound(resource, id);
  return name;
}

/**
 * Finds a row by its id and checks that the caller may see its repository.
 * @throws ServiceError `notFound` with the name of the resource when the row does not exist, or the caller may not see
 *   its repository
 */
export function visible<T extends { repoId: string }>(
  asking: Asking,
  id: string,
  kind: { prefix: IdPrefix; resource: string; read: (partition: Partition, id: string) => T | undefined },
): { partition: Partition; record: T } {
  const partition = partitionHolding(asking, id, kind.prefix, kind.resource);
  const record = kind.read(partition, id);
  if (!record) throw notFound(kind.resource, id);
  assertVisible(asking.caller, record.repoId, kind.resource, id);
  return { partition, record };
}

/** Makes the reply to a GET of one object. The stored bytes of the object are sent as they are. */
export function replyReady(request: ApiRequest, prefix: IdPrefix, resource: string): ApiReply {
  const [id = ''] = request.params;
  const { responses } = request.context;
  // The remembered responses are of ranges and of drafts, so the id must be of the kind that the route returns.
  const remembered = id.startsWith(`${prefix}_`) ? responses.remembered(id) : undefined;
  const response = remembered ?? readReady(request, id, prefix, resource);
  assertVisible(request.caller, response.repoId, resource, id);
  const { json, etag, processing } = response;
  return processing
    ? { status: 200, body: json, etag, headers: ['Retry-After', '1'] }
    : { status: 200, body: json, etag };
}

function readReady({ context }: Asking, id: string, prefix: IdPrefix, resource: string): ReadyResponse {
  const partition = currentPartition(context, homeOf(context, id, prefix, resource));
  const response = context.responses.read(partition, id);
  if (!response) throw notFound(resource, id);
  return response;
}

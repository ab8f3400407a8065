/**
 * One stored object by id: found in its partition, checked against what the caller may see, answered from its ready bytes.
 */
import { notFound } from '../foundation/errors.ts';
import { type IdPrefix, slotOfId } from '../foundation/ids.ts';
import type { Partition } from '../store/partition.ts';
import { readResponse } from '../store/tables/responses.ts';
import { assertVisible } from './authenticate.ts';
import { partitionOfId, readPartition } from './context.ts';
import type { ApiReply, ApiRequest } from './handle.ts';

/** The request parts that finding an object takes. */
export type Asking = Pick<ApiRequest, 'caller' | 'context'>;

/**
 * The partition of an id, as of now.
 * @throws ServiceError `notFound` naming the resource when the id is none of its kind
 */
export function partitionHolding({ context }: Asking, id: string, prefix: IdPrefix, resource: string): Partition {
  const name = slotOfId(id, prefix) === undefined ? undefined : partitionOfId(context, id);
  if (name === undefined) throw notFound(resource, id);
  return readPartition(context, name);
}

/**
 * A record of a partition that the caller may see.
 * @param read finds the record; what it finds says which repository it belongs to
 * @throws ServiceError `notFound` naming the resource
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

/** The reply to a GET of one object, from its ready bytes. */
export function replyReady(request: ApiRequest, prefix: IdPrefix, resource: string): ApiReply {
  const { record } = visible(request, request.params[0] ?? '', { prefix, resource, read: readResponse });
  const { json, etag, processing } = record;
  return { status: 200, body: json, etag, ...(processing && { headers: ['Retry-After', '1'] }) };
}

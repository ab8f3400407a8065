/**
 * What replies of the API are made of: fields that many have, parameters of paths, the page of a list, the refusal. Shapes
 * only, closed, with an example of each field; the replies of each part of the API stand beside.
 */
import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';

export const closed = { additionalProperties: false } as const;
export const count = (example = 1) => Type.Integer({ minimum: 0, examples: [example] });

export const text = (example: string, description?: string) =>
  Type.String({ examples: [example], ...(description !== undefined && { description }) });

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Timestamps are ISO 8601 in UTC (spec part 2). */
export const time = Type.String({ format: 'date-time', examples: ['2026-03-02T09:00:00.000Z'] });
export const day = Type.String({ format: 'date', examples: ['2026-03-02'] });
export const repoId = text('repo_mty60gmc8bsf7n553j66tq8t971m');
export const rangeId = text('range_mt01m7yce69yvkj4vwe6pref0e56');
export const draftId = text('draft_mt37dtrf1ttssyjd67vpedqfsfqc');
export const orgId = text('org_00wn60bwmsdmmshz0v9bhyrkddrx');
export const keyId = text('key_0001m7yce69yvkj4vwe6pref0e56');
export const secretId = text('secret_0001m7yce69yvkj4vwe6pref0e56');
export const publicationId = text('pub_mt01m7yce69yvkj4vwe6pref0e56');
export const endpointId = text('ep_0001m7yce69yvkj4vwe6pref0e56');
export const deliveryId = text('dlv_00wn60bwmsdmmshz0v9bhyrkddrx');
export const markdown = text('## New\n\n- Land on rough ground <!-- rn:pr:41 -->\n', 'Markdown');

/** Parameters of paths, by name. */
export const params = {
  repoId,
  rangeId,
  draftId,
  orgId,
  keyId,
  secretId,
  publicationId,
  channel: text('workspace_chat'),
  endpointId,
  deliveryId,
  revision: Type.String({ pattern: '^[1-9]\\d{0,9}$', examples: ['1'] }),
} as const;

/** A page of a list (spec part 4). */
export function listOf<T extends TSchema>(name: string, item: T, besides: TProperties = {}): TObject {
  const items: TProperties = { [name]: Type.Array(item, { maxItems: 100 }) };
  const rest = { total: count(), hasMore: Type.Boolean({ examples: [false] }), nextOffset: orNull(count(20)) };
  return Type.Object({ ...items, ...rest, ...besides }, closed);
}

export const ErrorSchema = Type.Object(
  {
    error: text('Not found', 'type of the error'),
    message: text('Draft "draft_1" is not found or not accessible.', 'for people'),
    details: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'by field: what was expected, what arrived' }),
    ),
    retryAfter: Type.Optional(Type.Integer({ minimum: 0, description: 'seconds until the same request can succeed' })),
  },
  closed,
);

/**
 * Parts that the shapes of requests and replies share: common fields, path parameters, the empty query and body, and
 * the error. Objects accept no unknown fields, and each field of a reply has an example.
 */
import { type TSchema, Type } from '@sinclair/typebox';

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
export const sessionId = text('ses_0001m7yce69yvkj4vwe6pref0e56');
export const secretId = text('secret_0001m7yce69yvkj4vwe6pref0e56');
export const backfillId = text('bf_mt01m7yce69yvkj4vwe6pref0e56');
export const publicationId = text('pub_mt01m7yce69yvkj4vwe6pref0e56');
export const endpointId = text('ep_0001m7yce69yvkj4vwe6pref0e56');
export const deliveryId = text('dlv_00wn60bwmsdmmshz0v9bhyrkddrx');
export const markdown = text('## New\n\n- Land on rough ground <!-- rn:pr:41 -->\n', 'Markdown');

/** Path parameters by name. */
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
  number: Type.String({ pattern: '^[1-9]\\d{0,9}$', examples: ['41'] }),
} as const;

/** The query of an operation without query parameters. */
export const NoQuerySchema = Type.Object({}, closed);

/** The body of an action that needs no parameters. */
export const EmptyBodySchema = Type.Object({}, closed);

export const ErrorSchema = Type.Object(
  {
    error: text('Not found', 'type of the error'),
    message: text('Draft "draft_1" is not found or not accessible.', 'for people'),
    details: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'for each bad field, the expected and the received value',
      }),
    ),
    retryAfter: Type.Optional(Type.Integer({ minimum: 0, description: 'seconds until the same request can succeed' })),
  },
  closed,
);

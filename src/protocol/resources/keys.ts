/**
 * Requests, replies and contracts of the operations on API keys. `store/` makes the bodies of replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import { scopes } from '../commands.ts';
import { maxOverlapHours } from '../limits.ts';
import type { Contracts } from './contract.ts';
import { closed, count, keyId, orgId, orNull, text, time } from './fields.ts';
import { listOf } from './paging.ts';

const keyScope = Type.Union([...scopes, '*' as const].map((scope) => Type.Literal(scope)));

/**
 * The body of the request that creates a key. With an instance key, the request must state whom the new key belongs to:
 * `org` (a login or an id) or `instance`.
 */
export const CreateKeyBodySchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    scopes: Type.Optional(Type.Array(keyScope, { minItems: 1, maxItems: 32, uniqueItems: true })),
    mode: Type.Optional(Type.Union([Type.Literal('live'), Type.Literal('test')])),
    expiresAt: Type.Optional(Type.String({ format: 'date-time' })),
    org: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    host: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    instance: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type CreateKeyBody = Static<typeof CreateKeyBodySchema>;

export const RotateKeyBodySchema = Type.Object(
  { overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: maxOverlapHours })) },
  closed,
);
export type RotateKeyBody = Static<typeof RotateKeyBodySchema>;

const key = {
  id: keyId,
  name: text('ci'),
  prefix: Type.Union([Type.Literal('rn_live_'), Type.Literal('rn_test_')]),
  last4: text('FTC8'),
  orgId: orNull(orgId),
  scopes: Type.Array(keyScope, { examples: [['repos:read', 'drafts:read']] }),
  status: Type.Union([Type.Literal('active'), Type.Literal('expired'), Type.Literal('revoked')]),
  createdAt: time,
  createdBy: orNull(keyId),
  lastUsedAt: orNull(time),
  expiresAt: orNull(time),
  revokedAt: orNull(time),
  rotatedTo: orNull(keyId),
  rotateBy: time,
  reminder: orNull(text('The key is older than six months: rotate it.')),
  endedWith: orNull(keyId),
};

export const KeySchema = Type.Object(key, closed);

export const RevokedKeySchema = Type.Object({ ...key, endedKeys: count(0) }, closed);

export const NewKeySchema = Type.Object(
  { ...key, key: text('rn_live_…', 'the key itself, shown in this reply only') },
  closed,
);

export const keyContracts = {
  listKeys: { tag: 'Keys', summary: 'List API keys', replies: { 200: listOf('keys', KeySchema) } },
  getKey: { tag: 'Keys', summary: 'Get the details of an API key, without the key', replies: { 200: KeySchema } },
  createKey: {
    tag: 'Keys',
    summary: 'Create an API key; it is shown in this reply only',
    example: { name: 'ci', org: 'acme', scopes: ['repos:read', 'drafts:read'] },
    body: CreateKeyBodySchema,
    replies: { 201: NewKeySchema },
    refusals: [404],
  },
  rotateKey: {
    tag: 'Keys',
    summary: 'Replace an API key with a new one',
    example: { overlapHours: 24 },
    body: RotateKeyBodySchema,
    replies: { 201: NewKeySchema },
  },
  revokeKey: {
    tag: 'Keys',
    summary: 'Revoke an API key and all keys that were created with it',
    replies: { 200: RevokedKeySchema },
    refusals: [409],
  },
} satisfies Contracts;

/**
 * Replies about organisations: statistics, API keys, limits and policy, webhook secrets. Shapes only; `store/` makes the bodies.
 */

import { Type } from '@sinclair/typebox';
import { scopes } from '../commands.ts';
import { closed, count, keyId, orgId, orNull, secretId, text, time } from './fields.ts';

export const StatsSchema = Type.Object(
  {
    currentMonth: Type.String({ pattern: '^\\d{4}-\\d{2}$', examples: ['2026-11'] }),
    activeRepos: count(4),
    draftsGenerated: count(31),
    publishedReleases: count(2),
    publications: count(5),
    apiCalls: count(15_201),
    billingTier: text('standard'),
    usagePercentage: Type.Number({ minimum: 0, examples: [5.07] }),
  },
  closed,
);

const key = {
  id: keyId,
  name: text('ci'),
  prefix: Type.Union([Type.Literal('rn_live_'), Type.Literal('rn_test_')]),
  last4: text('FTC8'),
  orgId: orNull(orgId),
  scopes: Type.Array(Type.Union([...scopes, '*' as const].map((scope) => Type.Literal(scope))), {
    examples: [['repos:read', 'drafts:read']],
  }),
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
  { ...key, key: text('rn_live_…', 'the key itself, in this reply alone') },
  closed,
);

export const OrganizationSchema = Type.Object(
  {
    id: orgId,
    login: text('acme'),
    host: text('https://github.com'),
    tier: text('standard'),
    refuseInternalOnPublicChannels: Type.Boolean({ examples: [false] }),
    keepPublishedAfterUninstall: Type.Boolean({ examples: [true] }),
    createdAt: time,
  },
  closed,
);

const secret = {
  id: secretId,
  name: text('hooks of acme'),
  host: text('https://github.com'),
  orgId: orNull(orgId),
  createdAt: time,
  rotatedAt: orNull(time),
  overlapEndsAt: orNull(time),
};

export const WebhookSecretSchema = Type.Object(secret, closed);

export const NewWebhookSecretSchema = Type.Object(
  { ...secret, secret: Type.Optional(text('3f1c0a…', 'a text made here, in this reply alone')) },
  closed,
);

export const RevokedSchema = Type.Object({ id: secretId, revokedAt: time }, closed);

/**
 * API writes as they stand on the journal, and the results their partition stores for the gateway to read.
 * Everything random or clocked (ids, times, key hashes) is made by whoever enqueues the command.
 */
import { type Static, Type } from '@sinclair/typebox';

import { NotesSettingsSchema } from './notes.ts';

import { EventRepositorySchema } from './repository.ts';
import { WaitSchema } from './retention.ts';

import { PersonaSchema, RangeBoundsSchema, ResolutionSchema } from './stored.ts';

/** A person's change of a draft: who makes it, and which states of the draft it is meant for. */
const conditional = {
  /** Id of the API key. */
  by: Type.Optional(Type.String()),
  /** Digests, one of which the draft must have; absent = any state will do. */
  ifMatch: Type.Optional(Type.Array(Type.String())),
};

/** Commands of a repository's partition. */
export const CommandSchema = Type.Union([
  Type.Object({
    name: Type.Literal('createRange'),
    rangeId: Type.String(),
    repoId: Type.String(),
    bounds: RangeBoundsSchema,
    prCount: Type.Integer(),
    issueCount: Type.Integer(),
    resolution: ResolutionSchema,
  }),
  Type.Object({
    name: Type.Literal('generateDraft'),
    draftId: Type.String(),
    rangeId: Type.String(),
    persona: PersonaSchema,
    ticket: Type.String(),
  }),
  Type.Object({
    name: Type.Literal('updateDraft'),
    draftId: Type.String(),
    bodyMd: Type.String(),
    ...conditional,
  }),
  Type.Object({
    name: Type.Literal('restoreDraft'),
    draftId: Type.String(),
    revision: Type.Integer(),
    ...conditional,
  }),
  Type.Object({ name: Type.Literal('putSettings'), repoId: Type.String(), settings: NotesSettingsSchema }),
  Type.Object({
    name: Type.Literal('startBackfill'),
    backfillId: Type.String(),
    repository: EventRepositorySchema,
    /** Nothing last changed before is read; null = everything. In milliseconds. */
    since: Type.Union([Type.Integer(), Type.Null()]),
    installationId: Type.Union([Type.String(), Type.Null()]),
  }),
  Type.Object({ name: Type.Literal('cancelBackfill'), repoId: Type.String() }),
]);
export type Command = Static<typeof CommandSchema>;

/** Scopes of a key (`all` for the instance's own). */
export const scopes = [
  'drafts:read',
  'drafts:write',
  'ranges:read',
  'ranges:write',
  'repos:read',
  'repos:write',
  'publish:write',
  'stats:read',
  'webhooks:read',
  'webhooks:write',
  'keys:read',
  'keys:write',
] as const;
export type Scope = (typeof scopes)[number];

/** An API key as stored: its hash, never itself. `orgId` null = bound to the instance. */
export const KeyRecordSchema = Type.Object({
  id: Type.String(),
  hash: Type.String({ description: 'SHA-256 of the whole key, hex' }),
  prefix: Type.String({ description: 'rn_live_ or rn_test_' }),
  last4: Type.String(),
  name: Type.String(),
  orgId: Type.Union([Type.String(), Type.Null()]),
  scopes: Type.Array(Type.String()),
  createdAt: Type.Integer(),
  expiresAt: Type.Union([Type.Integer(), Type.Null()]),
  revokedAt: Type.Union([Type.Integer(), Type.Null()]),
});
export type KeyRecord = Static<typeof KeyRecordSchema>;

/** An operator's word: the erasing that waits may go on. Any partition takes it; it names exactly what it allows. */
export const RetentionCommandSchema = Type.Object({ name: Type.Literal('approveRetention'), wait: WaitSchema });

/**
 * A webhook secret of a host, or of one organisation of it, as stored: sealed. `previous` holds the texts that a rotation
 * left to verify for a while.
 */
export const WebhookSecretRecordSchema = Type.Object({
  id: Type.String(),
  origin: Type.String({ description: 'web address of the host' }),
  /** Null binds the secret to the whole host. */
  orgId: Type.Union([Type.String(), Type.Null()]),
  name: Type.String(),
  sealed: Type.String(),
  previous: Type.Array(Type.Object({ sealed: Type.String(), until: Type.Integer() })),
  createdAt: Type.Integer(),
  rotatedAt: Type.Union([Type.Integer(), Type.Null()]),
});
export type WebhookSecretRecord = Static<typeof WebhookSecretRecordSchema>;

/** Commands of the directory. */
export const DirectoryCommandSchema = Type.Union([
  Type.Object({
    name: Type.Literal('createKey'),
    /** Login or id of the organisation; null binds the key to the instance. */
    org: Type.Union([Type.String(), Type.Null()]),
    origin: Type.String(),
    key: KeyRecordSchema,
  }),
  Type.Object({ name: Type.Literal('revokeKey'), keyId: Type.String() }),
  Type.Object({ name: Type.Literal('selectRepository'), repoId: Type.String(), selected: Type.Boolean() }),
  /** Gives an organisation its id by its login, before or after its first delivery. */
  Type.Object({ name: Type.Literal('nameOrganisation'), origin: Type.String(), login: Type.String() }),
  Type.Object({ name: Type.Literal('createWebhookSecret'), secret: WebhookSecretRecordSchema }),
  Type.Object({
    name: Type.Literal('rotateWebhookSecret'),
    secretId: Type.String(),
    sealed: Type.String(),
    overlapMs: Type.Integer(),
  }),
  Type.Object({ name: Type.Literal('revokeWebhookSecret'), secretId: Type.String() }),
]);
export type DirectoryCommand = Static<typeof DirectoryCommandSchema>;

/** What a person's change of a draft ended in; `digest` is that of the draft after it. */
export interface DraftChange {
  id: string;
  revision: number;
  updatedAt: number;
  digest: string;
}

/** The stored outcome of a command: a value for the reply, or the failure it ended in. */
export const CommandResultSchema = Type.Union([
  Type.Object({ ok: Type.Literal(true), value: Type.Unknown() }),
  Type.Object({
    ok: Type.Literal(false),
    kind: Type.String(),
    message: Type.String(),
    details: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
]);
export type CommandResult = Static<typeof CommandResultSchema>;

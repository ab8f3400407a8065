/**
 * The shapes of commands and of their results. A command is an API write in the journal. The partition that folds a
 * command stores its result for the gateway. The sender of a command chooses ids, times and key hashes. The fold cannot
 * choose them, because its result must not depend on a clock or on random values.
 */
import { type Static, Type } from '@sinclair/typebox';
import { AutomationRuleSchema, automatic } from './automation.ts';
import { ChannelCommandSchemas } from './channels.ts';
import { HostAppRecordSchema } from './host-apps.ts';
import { IdentitySchema } from './identity.ts';
import { NotesSettingsSchema } from './notes.ts';
import { PublicationCommandSchemas } from './publications.ts';
import { EventRepositorySchema } from './repository.ts';
import { WaitSchema } from './retention.ts';
import { sessionCommands } from './sessions.ts';

import {
  AssumedSchema,
  FlagChangesSchema,
  OpenEndsSchema,
  PersonaSchema,
  RangeBoundsSchema,
  ResolutionSchema,
} from './stored.ts';
import { reports, webhookCommands } from './webhooks.ts';

/**
 * The command is accepted only if the object to change has one of these digests. If the field is absent, any state of
 * the object is accepted.
 */
const ifMatch = Type.Optional(Type.Array(Type.String()));

/**
 * Maximum number of ranges or keys per organization. The number is from the settings at the time when the command was
 * sent. 0 or an absent field = no maximum.
 */
const most = Type.Optional(Type.Integer({ minimum: 0 }));

/**
 * Start time, in milliseconds, of the repository's incarnation that a command is meant for. An incarnation ends when
 * the repository is erased, or when an unproved claim to the repository ends. If the repository is added again, a new
 * incarnation begins, and a command for an earlier incarnation is refused. The field is absent if the repository's
 * partition did not know the repository when the command was sent. The field is also absent in records of earlier
 * versions of Tidings.
 */
const life = Type.Optional(Type.Integer());

/**
 * Fields of the commands with which a person changes a draft. `by` is the id of the person's API key. `ifMatch` lists
 * digests. The command is accepted only if the draft has one of these digests.
 */
const conditional = { by: Type.Optional(Type.String()), ifMatch };

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
    assumed: AssumedSchema,
    openEnds: Type.Optional(OpenEndsSchema),
    most,
    life,
    /** Number of ranges that the organization has in its other repositories. They count towards the maximum. */
    elsewhere: Type.Optional(Type.Integer({ minimum: 0 })),
    ...automatic,
  }),
  Type.Object({
    name: Type.Literal('generateDraft'),
    draftId: Type.String(),
    rangeId: Type.String(),
    persona: PersonaSchema,
    ticket: Type.String(),
    /**
     * Whether to generate the draft even if retention has erased some changes of the range. The draft is then generated
     * from the remaining changes.
     */
    force: Type.Optional(Type.Literal(true)),
    /** Digests of the draft. A draft that exists with another digest is not generated again. */
    ifMatch,
    ...automatic,
  }),
  Type.Object({
    name: Type.Literal('updateDraft'),
    draftId: Type.String(),
    bodyMd: Type.Optional(Type.String()),
    flags: Type.Optional(FlagChangesSchema),
    ...conditional,
  }),
  Type.Object({
    name: Type.Literal('restoreDraft'),
    draftId: Type.String(),
    revision: Type.Integer(),
    /** Whether the fold requests a check of the draft. Absent in records of earlier versions of Tidings. */
    checks: Type.Optional(Type.Literal(true)),
    ...conditional,
  }),
  Type.Object({
    name: Type.Literal('putSettings'),
    repoId: Type.String(),
    settings: NotesSettingsSchema,
    life,
    ifMatch,
  }),
  /** Sets the automation rule of a repository. */
  Type.Object({
    name: Type.Literal('putAutomation'),
    repoId: Type.String(),
    rule: AutomationRuleSchema,
    life,
    ifMatch,
  }),
  Type.Object({
    name: Type.Literal('startBackfill'),
    backfillId: Type.String(),
    repository: EventRepositorySchema,
    /**
     * True if the host described the repository shortly before the command was sent; false if `repository` is a copy of
     * the stored description. The field is absent in records of earlier versions of Tidings.
     */
    confirmed: Type.Optional(Type.Boolean()),
    /** Items whose last change was before this time (milliseconds) are not read; null = all items are read. */
    since: Type.Union([Type.Integer(), Type.Null()]),
    installationId: Type.Union([Type.String(), Type.Null()]),
  }),
  Type.Object({ name: Type.Literal('cancelBackfill'), repoId: Type.String(), life, reports }),
  ...PublicationCommandSchemas,
]);
export type Command = Static<typeof CommandSchema>;

/** Scopes of a key. A key with the scope `*` has all of them. */
export const scopes = [
  'drafts:read',
  'drafts:write',
  'ranges:read',
  'ranges:write',
  'repos:read',
  'repos:write',
  'publish:write',
  'stats:read',
  'orgs:read',
  'orgs:write',
  'webhooks:read',
  'webhooks:write',
  'keys:read',
  'keys:write',
] as const;
export type Scope = (typeof scopes)[number];

/**
 * An API key as stored. The hash of the key is stored, never the key itself. `orgId` null = the key is bound to the
 * instance.
 */
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
  /** Id of the key that created this key; absent if the command line created it. */
  createdBy: Type.Optional(Type.String()),
  /** Id of the key that replaced this key. A key can be rotated only once. */
  rotatedTo: Type.Optional(Type.String()),
  /**
   * Id of the first key in the key's rotation line. A rotation line is a key and all keys that replaced it, one after
   * another. The field is set for a key created by rotation. Example: key B replaced key A, and key C replaced key B.
   * The line is A, B and C, and `line` of B and of C is the id of A. Keys that earlier versions of Tidings rotated have
   * no `line`.
   */
  line: Type.Optional(Type.String()),
  /** Id of the newest key in the rotation line. Only the first key of a rotation line has this field. */
  head: Type.Optional(Type.String()),
  /**
   * Ids of the keys that this key depends on. The field is set for a key created by rotation. If a key in this list is
   * revoked, this key ends. This key also ends when the newest key in the rotation line of a listed key is revoked or
   * expires. A key without this field depends on `createdBy` only.
   */
  makers: Type.Optional(Type.Array(Type.String())),
});
export type KeyRecord = Static<typeof KeyRecordSchema>;

/**
 * The command with which an operator approves an erasure. `wait` is a copy of the wait that is approved, and the
 * approval is valid for this wait only. Every partition accepts this command.
 */
export const RetentionCommandSchema = Type.Object({ name: Type.Literal('approveRetention'), wait: WaitSchema });

/**
 * A webhook secret of a host, or of one organization on a host. The secret is stored in sealed form. `previous` holds
 * the former secrets that stay valid for a while after a rotation.
 */
export const WebhookSecretRecordSchema = Type.Object({
  id: Type.String(),
  origin: Type.String({ description: 'web address of the host' }),
  /** The organization whose deliveries are signed with the secret; null = the secret is for the whole host. */
  orgId: Type.Union([Type.String(), Type.Null()]),
  name: Type.String(),
  sealed: Type.String(),
  previous: Type.Array(Type.Object({ sealed: Type.String(), until: Type.Integer() })),
  createdAt: Type.Integer(),
  rotatedAt: Type.Union([Type.Integer(), Type.Null()]),
});
export type WebhookSecretRecord = Static<typeof WebhookSecretRecordSchema>;

/** Fields of an organization. A field that is left out keeps its value. */
const organizationFields = {
  orgId: Type.String(),
  tier: Type.Optional(Type.String()),
  refuseInternalOnPublicChannels: Type.Optional(Type.Boolean()),
  keepPublishedAfterUninstall: Type.Optional(Type.Boolean()),
  ifMatch,
};

/**
 * If this field is set, the command is refused when several organizations have the given login. The field is absent in
 * records of earlier versions of Tidings.
 */
const unambiguous = Type.Optional(Type.Literal(true));

/** Commands of the directory partition. */
export const DirectoryCommandSchema = Type.Union([
  Type.Object({
    name: Type.Literal('createKey'),
    /** Login or id of the organization; null binds the key to the instance. */
    org: Type.Union([Type.String(), Type.Null()]),
    origin: Type.String(),
    key: KeyRecordSchema,
    most,
    unambiguous,
  }),
  /**
   * Replaces the old key `keyId` by the new key `key`. The new key gets the scopes, the name and the organization of
   * the old key. The old key still works for `overlapMs`.
   */
  Type.Object({
    name: Type.Literal('rotateKey'),
    keyId: Type.String(),
    key: KeyRecordSchema,
    overlapMs: Type.Integer({ minimum: 0 }),
    most,
  }),
  /**
   * If `guarded` is set, the command does not revoke the only remaining key that can create keys for the instance. The
   * field is absent in records of earlier versions of Tidings.
   */
  Type.Object({
    name: Type.Literal('revokeKey'),
    keyId: Type.String(),
    guarded: Type.Optional(Type.Literal(true)),
  }),
  Type.Object({ name: Type.Literal('updateOrganisation'), ...organizationFields }),
  // Only earlier versions of Tidings wrote the commands `setTier` and `setPolicy`.
  Type.Object({ name: Type.Literal('setTier'), ...organizationFields }),
  Type.Object({ name: Type.Literal('setPolicy'), ...organizationFields }),
  Type.Object({
    name: Type.Literal('selectRepository'),
    repoId: Type.String(),
    /** The repository's organization when the command was sent; absent in records of earlier versions of Tidings. */
    orgId: Type.Optional(Type.String()),
    selected: Type.Boolean(),
    ifMatch,
  }),
  /**
   * Returns the id of the organization that has the given login. If the organization is unknown, the command creates it
   * first. Example: an organization is unknown before its first delivery.
   */
  Type.Object({
    name: Type.Literal('nameOrganisation'),
    origin: Type.String(),
    login: Type.String(),
    unambiguous,
  }),
  Type.Object({ name: Type.Literal('createWebhookSecret'), secret: WebhookSecretRecordSchema }),
  Type.Object({
    name: Type.Literal('rotateWebhookSecret'),
    secretId: Type.String(),
    sealed: Type.String(),
    overlapMs: Type.Integer(),
  }),
  Type.Object({ name: Type.Literal('revokeWebhookSecret'), secretId: Type.String() }),
  /**
   * Uses up a state, before its code is exchanged. A state that was used before is refused, so no code is exchanged
   * twice. `until` is the time at which the state expires.
   */
  Type.Object({ name: Type.Literal('takeAppState'), stateId: Type.String(), until: Type.Integer() }),
  /** Stores an app of a host together with its webhook secret. */
  Type.Object({
    name: Type.Literal('createHostApp'),
    app: HostAppRecordSchema,
    secret: WebhookSecretRecordSchema,
  }),
  /** Removes the stored app of a host, and its webhook secret. */
  Type.Object({ name: Type.Literal('removeHostApp'), origin: Type.String() }),
  /**
   * Replaces values that were sealed under a former sealing key with values sealed under the current key. A value in
   * `from` is replaced only if the partition still stores it.
   */
  Type.Object({
    name: Type.Literal('reseal'),
    seals: Type.Array(Type.Object({ from: Type.String(), to: Type.String() })),
  }),
  /**
   * Stores what all nodes of the cluster have in common. Without effect if another identity than `replaces` is stored.
   * The result contains the identity that is stored afterwards.
   */
  Type.Object({
    name: Type.Literal('setIdentity'),
    identity: IdentitySchema,
    replaces: Type.Union([IdentitySchema, Type.Null()]),
  }),
  ...ChannelCommandSchemas,
  ...sessionCommands,
  ...webhookCommands,
]);
export type DirectoryCommand = Static<typeof DirectoryCommandSchema>;

/** The result of a command with which a person changed a draft. `digest` is the digest of the changed draft. */
export interface DraftChange {
  id: string;
  revision: number;
  updatedAt: number;
  digest: string;
  /** Number in the draft's ETag for the reasons why the draft is outdated; absent if it is not outdated. */
  verdict?: number;
}

/**
 * Makes a write safe to repeat. `scope` is a hash of the Idempotency-Key and of everything that limits its use, such as
 * the API key, the operation and the path parameters. `fingerprint` is a hash of the request body.
 */
export const OnceSchema = Type.Object({ scope: Type.String(), fingerprint: Type.String() });
export type Once = Static<typeof OnceSchema>;

const resultNotes = {
  /**
   * True if the command was not carried out, because the service had carried out an earlier command with the same
   * Idempotency-Key. The result is that of the earlier command.
   */
  replayed: Type.Optional(Type.Literal(true)),
  /** Scope of the command's Idempotency-Key. A repeated command with the same scope gets this result. */
  once: Type.Optional(Type.String()),
};

/**
 * The stored outcome of a command: a value for the reply, or an expected failure. The outcome never contains a secret
 * that is shown only once.
 */
export const CommandResultSchema = Type.Union([
  Type.Object({ ok: Type.Literal(true), value: Type.Unknown(), ...resultNotes }),
  Type.Object({
    ok: Type.Literal(false),
    kind: Type.String(),
    message: Type.String(),
    details: Type.Optional(Type.Record(Type.String(), Type.String())),
    ...resultNotes,
  }),
]);
export type CommandResult = Static<typeof CommandResultSchema>;

/**
 * API writes as they stand on the journal, and the results their partition stores for the gateway to read.
 * Everything random or clocked (ids, times, key hashes) is made by whoever enqueues the command.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ChannelCommandSchemas } from './channels.ts';
import { NotesSettingsSchema } from './notes.ts';
import { PublicationCommandSchemas } from './publications.ts';
import { EventRepositorySchema } from './repository.ts';
import { WaitSchema } from './retention.ts';

import { FlagChangesSchema, PersonaSchema, RangeBoundsSchema, ResolutionSchema } from './stored.ts';
import { webhookCommands } from './webhooks.ts';

/** Digests, one of which what is written to must have; absent = any state will do. */
const ifMatch = Type.Optional(Type.Array(Type.String()));

/** How many an organisation may have, as the setting was when the command was made; 0 or absent = no maximum. */
const most = Type.Optional(Type.Integer({ minimum: 0 }));

/**
 * When the life of the repository began that the command is meant for, in milliseconds; absent where its partition did not know
 * it, and in records of earlier versions. A life ends with the claim that it rests on.
 */
const life = Type.Optional(Type.Integer());

/** A person's change of a draft: the id of their API key, and which states of the draft it is meant for. */
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
    most,
    life,
    /** Ranges that other repositories of the organisation have. */
    elsewhere: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  Type.Object({
    name: Type.Literal('generateDraft'),
    draftId: Type.String(),
    rangeId: Type.String(),
    persona: PersonaSchema,
    ticket: Type.String(),
    /** Generates from what is left of a range that retention has erased changes of. */
    force: Type.Optional(Type.Literal(true)),
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
    ...conditional,
  }),
  Type.Object({
    name: Type.Literal('putSettings'),
    repoId: Type.String(),
    settings: NotesSettingsSchema,
    life,
    ifMatch,
  }),
  Type.Object({
    name: Type.Literal('startBackfill'),
    backfillId: Type.String(),
    repository: EventRepositorySchema,
    /** Whether its host has described the repository for this command; false = it is as stored. Absent in earlier versions. */
    confirmed: Type.Optional(Type.Boolean()),
    /** Nothing last changed before is read; null = everything. In milliseconds. */
    since: Type.Union([Type.Integer(), Type.Null()]),
    installationId: Type.Union([Type.String(), Type.Null()]),
  }),
  Type.Object({ name: Type.Literal('cancelBackfill'), repoId: Type.String(), life }),
  ...PublicationCommandSchemas,
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
  'orgs:read',
  'orgs:write',
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
  /** Id of the key it was made with; absent for the command line. */
  createdBy: Type.Optional(Type.String()),
  /** Id of the key that takes its place; it can be rotated once. */
  rotatedTo: Type.Optional(Type.String()),
  /** Id of the first key of its line, for a key made by rotation. Keys that earlier versions rotated have none. */
  line: Type.Optional(Type.String()),
  /** On the first key of a line: id of the newest one. */
  head: Type.Optional(Type.String()),
  /** Ids of the keys that it ends with, for a key made by rotation; other keys end with `createdBy`. */
  makers: Type.Optional(Type.Array(Type.String())),
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

/** Of an organisation; what is not named stays as it is. */
const organisationFields = {
  orgId: Type.String(),
  tier: Type.Optional(Type.String()),
  refuseInternalOnPublicChannels: Type.Optional(Type.Boolean()),
  keepPublishedAfterUninstall: Type.Optional(Type.Boolean()),
  ifMatch,
};

/** Refuses a login that several organizations bear. Records of earlier versions have no such field. */
const unambiguous = Type.Optional(Type.Literal(true));

/** Commands of the directory. */
export const DirectoryCommandSchema = Type.Union([
  Type.Object({
    name: Type.Literal('createKey'),
    /** Login or id of the organisation; null binds the key to the instance. */
    org: Type.Union([Type.String(), Type.Null()]),
    origin: Type.String(),
    key: KeyRecordSchema,
    most,
    unambiguous,
  }),
  /** `key` takes the place of `keyId`, whose scopes, name and organisation it gets; the old one goes on for `overlapMs`. */
  Type.Object({
    name: Type.Literal('rotateKey'),
    keyId: Type.String(),
    key: KeyRecordSchema,
    overlapMs: Type.Integer({ minimum: 0 }),
    most,
  }),
  /** `guarded` keeps the last key of the instance. Records of earlier versions have no such field. */
  Type.Object({
    name: Type.Literal('revokeKey'),
    keyId: Type.String(),
    guarded: Type.Optional(Type.Literal(true)),
  }),
  Type.Object({ name: Type.Literal('updateOrganisation'), ...organisationFields }),
  // What earlier versions wrote.
  Type.Object({ name: Type.Literal('setTier'), ...organisationFields }),
  Type.Object({ name: Type.Literal('setPolicy'), ...organisationFields }),
  Type.Object({
    name: Type.Literal('selectRepository'),
    repoId: Type.String(),
    /** The organization that had it when the command was made; absent in records of earlier versions. */
    orgId: Type.Optional(Type.String()),
    selected: Type.Boolean(),
    ifMatch,
  }),
  /** Gives an organisation its id by its login, before or after its first delivery. */
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
  /** The sealing key was changed: seals under it take the place of those under a former one, where these still are. */
  Type.Object({
    name: Type.Literal('reseal'),
    seals: Type.Array(Type.Object({ from: Type.String(), to: Type.String() })),
  }),
  ...ChannelCommandSchemas,
  ...webhookCommands,
]);
export type DirectoryCommand = Static<typeof DirectoryCommandSchema>;

/** What a person's change of a draft ended in; `digest` is that of the draft after it. */
export interface DraftChange {
  id: string;
  revision: number;
  updatedAt: number;
  digest: string;
}

/** What makes a write safe to repeat: its Idempotency-Key with everything it counts for, and the body, both as hashes. */
export const OnceSchema = Type.Object({ scope: Type.String(), fingerprint: Type.String() });
export type Once = Static<typeof OnceSchema>;

const resultNotes = {
  /** The command did nothing: an earlier one with the same Idempotency-Key had this result. */
  replayed: Type.Optional(Type.Literal(true)),
  /** Scope of the Idempotency-Key that leads here. */
  once: Type.Optional(Type.String()),
};

/** The stored outcome of a command: a value for the reply, or the failure it ended in. Never a secret that is shown once. */
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

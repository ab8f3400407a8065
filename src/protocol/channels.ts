/**
 * The channels a draft can be published to: their names, the settings that a connection of each has, and what the edge must
 * know of them without being able to publish. How each publishes is a file of `channels/`.
 */
import { type Static, type TObject, Type } from '@sinclair/typebox';
import {
  EmailSettingsSchema,
  OfficeChatSettingsSchema,
  SupportMessengerSettingsSchema,
  WorkspaceChatSettingsSchema,
} from './channel-settings.ts';
import { FileSettingsSchema, HostedSettingsSchema, ReleasesSettingsSchema } from './host-channel-settings.ts';

export const channelNames = [
  'scm_releases',
  'changelog',
  'releases_md',
  'hosted',
  'support_messenger',
  'workspace_chat',
  'office_chat',
  'email',
] as const;

export const ChannelNameSchema = Type.Union(channelNames.map((name) => Type.Literal(name)));
export type ChannelName = (typeof channelNames)[number];

/** What the edge knows of a channel. */
export interface ChannelTraits {
  settings: TObject;
  /** Fields of `settings` that are sealed and never answered. */
  secrets: readonly string[];
  /** Fields of `settings` that say which receiver it is: the same ones mean the same receiver. */
  receiver: readonly string[];
  /** Fields of `settings` that say where the secrets are sent: a stored one is never sent anywhere else. */
  secretsGoTo: readonly string[];
  /** Fields of `settings` that hold the web address or the host of a receiver. */
  addresses: readonly string[];
  /** Whether anybody outside the organisation may read what is published; its policy may refuse such. */
  isPublic: boolean;
  /** Whether it works without a stored connection: its settings then are their defaults. */
  isBuiltIn: boolean;
  /** Whether it writes to a repository on its host: it is tried for a repository, and takes credentials for its host. */
  needsRepository: boolean;
  /** Whether it publishes ranges between tags alone. */
  needsTag: boolean;
}

export const channelTraits: Readonly<Record<ChannelName, ChannelTraits>> = {
  scm_releases: builtIn(ReleasesSettingsSchema, { needsRepository: true, needsTag: true }),
  changelog: builtIn(FileSettingsSchema, { needsRepository: true, receiver: ['path', 'branch'] }),
  releases_md: builtIn(FileSettingsSchema, { needsRepository: true, receiver: ['path', 'branch'] }),
  hosted: builtIn(HostedSettingsSchema, { isPublic: true }),
  support_messenger: connected(SupportMessengerSettingsSchema, {
    secrets: ['accessToken'],
    secretsGoTo: ['apiUrl'],
    addresses: ['apiUrl'],
    // A token is replaced now and then; the ids of teammates are those of one workspace.
    receiver: ['apiUrl', 'senderId'],
    isPublic: true,
  }),
  workspace_chat: connected(WorkspaceChatSettingsSchema, {
    secrets: ['webhookUrl', 'botToken'],
    secretsGoTo: ['apiUrl'],
    addresses: ['webhookUrl', 'apiUrl'],
    receiver: ['webhookUrl', 'apiUrl', 'channel'],
  }),
  office_chat: connected(OfficeChatSettingsSchema, {
    secrets: ['webhookUrl'],
    addresses: ['webhookUrl'],
    receiver: ['webhookUrl'],
  }),
  email: connected(EmailSettingsSchema, {
    secrets: ['user', 'password', 'recipients'],
    secretsGoTo: ['host', 'port', 'certificateAuthority'],
    addresses: ['host'],
    receiver: ['recipients'],
    isPublic: true,
  }),
};

function builtIn(settings: TObject, traits: Partial<ChannelTraits>): ChannelTraits {
  return { ...connected(settings, traits), isBuiltIn: true };
}

function connected(settings: TObject, traits: Partial<ChannelTraits> = {}): ChannelTraits {
  const none = {
    secrets: [],
    secretsGoTo: [],
    addresses: [],
    receiver: [],
    isPublic: false,
    isBuiltIn: false,
    needsRepository: false,
    needsTag: false,
  };
  return { settings, ...none, ...traits };
}

/** The connection that a publication goes through, as it stands on the journal: secrets sealed. */
export const ConnectionSchema = Type.Object({
  orgId: Type.String(),
  /** Null = of the whole organisation. */
  repoId: Type.Union([Type.String(), Type.Null()]),
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** Sealed values by field, each JSON. */
  secrets: Type.Record(Type.String(), Type.String()),
  /** Keyed digest of what says which receiver it is. */
  receiver: Type.String(),
});
export type Connection = Static<typeof ConnectionSchema>;

/** A connection as the directory keeps it. */
export const ChannelRecordSchema = Type.Composite([
  Type.Object({ channel: ChannelNameSchema }),
  ConnectionSchema,
  Type.Object({ createdAt: Type.Integer(), updatedAt: Type.Integer() }),
]);
export type ChannelRecord = Static<typeof ChannelRecordSchema>;

/** What a connection's sealed value of a field is bound to. */
export function channelSealedFor(
  { orgId, repoId }: Pick<Connection, 'orgId' | 'repoId'>,
  channel: ChannelName,
  field: string,
): string[] {
  return ['channel', orgId, repoId ?? '', channel, field];
}

/** Commands of the directory about channels. */
export const ChannelCommandSchemas = [
  /** `ifMatch`: digests of which the channel must have one. */
  Type.Object({
    name: Type.Literal('putChannel'),
    record: ChannelRecordSchema,
    ifMatch: Type.Optional(Type.Array(Type.String())),
  }),
  Type.Object({
    name: Type.Literal('removeChannel'),
    orgId: Type.String(),
    repoId: Type.Union([Type.String(), Type.Null()]),
    channel: ChannelNameSchema,
  }),
  /** `address` is the keyed digest of a mail address. */
  Type.Object({
    name: Type.Literal('suppress'),
    orgId: Type.String(),
    address: Type.String(),
    suppressed: Type.Boolean(),
  }),
] as const;

/**
 * The channels that a draft can be published to: their names, the settings of their connections, and the properties
 * that the API needs. The API itself does not publish. Each channel's file in `channels/` does the publishing.
 */
import { type Static, type TObject, Type } from '@sinclair/typebox';
import {
  EmailSettingsSchema,
  OfficeChatSettingsSchema,
  SupportMessengerSettingsSchema,
  WorkspaceChatSettingsSchema,
} from './channel-settings.ts';
import { FileSettingsSchema, HostedSettingsSchema, ReleasesSettingsSchema } from './host-channel-settings.ts';
import { channelNames } from './names.ts';

export const ChannelNameSchema = Type.Union(channelNames.map((name) => Type.Literal(name)));
export type ChannelName = (typeof channelNames)[number];

/** The properties of a channel that the API needs. */
export interface ChannelTraits {
  settings: TObject;
  /** Fields of `settings` that are sealed and never returned. */
  secrets: readonly string[];
  /**
   * Fields of `settings` that identify the receiver. Two connections with equal values in these fields have the same
   * receiver.
   */
  receiver: readonly string[];
  /**
   * Fields of `settings` that decide where the secrets are sent. A stored secret is never sent to a new address. So a
   * request that changes such a field must contain the secrets again.
   */
  secretsGoTo: readonly string[];
  /** Fields of `settings` that only readers of the published notes see. Publications do not contain these fields. */
  notForPublishing: readonly string[];
  /** Fields of `settings` that hold the web address or the host of a receiver. */
  addresses: readonly string[];
  /**
   * Whether people outside the organization may read what is published. The organization's policy may refuse such
   * channels for internal drafts.
   */
  isPublic: boolean;
  /** Whether the channel works without a stored connection, with default settings. */
  isBuiltIn: boolean;
  /**
   * Whether the channel writes to a repository on its host. Such a channel uses the credentials for that host, and its
   * test needs a repository.
   */
  needsRepository: boolean;
  /** Whether the channel publishes only ranges that end at a tag. */
  needsTag: boolean;
  /**
   * Whether the channel has a place for each version, such as a page or a section of a file. It does not publish notes
   * that have no version yet.
   */
  keepsVersions: boolean;
}

export const channelTraits: Readonly<Record<ChannelName, ChannelTraits>> = {
  scm_releases: builtIn(ReleasesSettingsSchema, { needsRepository: true, needsTag: true }),
  changelog: builtIn(FileSettingsSchema, { needsRepository: true, receiver: ['path', 'branch'] }),
  releases_md: builtIn(FileSettingsSchema, { needsRepository: true, receiver: ['path', 'branch'] }),
  hosted: builtIn(HostedSettingsSchema, {
    isPublic: true,
    notForPublishing: ['accent', 'logo', 'logoAlt', 'embedIn'],
  }),
  support_messenger: connected(SupportMessengerSettingsSchema, {
    secrets: ['accessToken'],
    secretsGoTo: ['apiUrl'],
    addresses: ['apiUrl'],
    // Access tokens are replaced from time to time, so a token does not identify the receiver. A sender id identifies
    // the receiver, because a sender is a teammate, and each teammate belongs to one workspace.
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
  return { ...connected(settings, { keepsVersions: true, ...traits }), isBuiltIn: true };
}

function connected(settings: TObject, traits: Partial<ChannelTraits> = {}): ChannelTraits {
  const none = {
    secrets: [],
    secretsGoTo: [],
    notForPublishing: [],
    addresses: [],
    receiver: [],
    isPublic: false,
    isBuiltIn: false,
    needsRepository: false,
    needsTag: false,
    keepsVersions: false,
  };
  return { settings, ...none, ...traits };
}

/** The connection that a publication uses. The journal contains the connection in this form, with sealed secrets. */
export const ConnectionSchema = Type.Object({
  orgId: Type.String(),
  /** The repository that the connection is for; null = the whole organization. */
  repoId: Type.Union([Type.String(), Type.Null()]),
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** Sealed values by field name. Each value was encoded as JSON before it was sealed. */
  secrets: Type.Record(Type.String(), Type.String()),
  /** Keyed digest of the fields that identify the receiver. */
  receiver: Type.String(),
});
export type Connection = Static<typeof ConnectionSchema>;

/** A connection as the directory partition stores it. */
export const ChannelRecordSchema = Type.Composite([
  Type.Object({ channel: ChannelNameSchema }),
  ConnectionSchema,
  Type.Object({ createdAt: Type.Integer(), updatedAt: Type.Integer() }),
]);
export type ChannelRecord = Static<typeof ChannelRecordSchema>;

/**
 * Returns the context in which a field of a connection is sealed. The sealed value can only be opened in the same
 * context.
 */
export function channelSealedFor(
  { orgId, repoId }: Pick<Connection, 'orgId' | 'repoId'>,
  channel: ChannelName,
  field: string,
): string[] {
  return ['channel', orgId, repoId ?? '', channel, field];
}

/** Commands of the directory partition about channels. */
export const ChannelCommandSchemas = [
  /** The command is accepted only if the channel's current digest is in `ifMatch`. */
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
  /** Stops or resumes mail to a recipient. `address` is the keyed digest of the recipient's mail address. */
  Type.Object({
    name: Type.Literal('suppress'),
    orgId: Type.String(),
    address: Type.String(),
    suppressed: Type.Boolean(),
  }),
] as const;

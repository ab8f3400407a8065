/**
 * The settings of channel connections, field by field: where the receiver is, and under which identity Tidings writes
 * to the receiver. Each channel's own file in `channels/` states which fields are secret.
 */
import { type Static, Type } from '@sinclair/typebox';

const closed = { additionalProperties: false } as const;
/** A token or key that is sent in a header. */
const token = { minLength: 1, maxLength: 500, pattern: '^[\\x21-\\x7e]+$' };
const webAddress = { maxLength: 2_000, pattern: '^https?://' };
const apiAddress = { maxLength: 2_000, pattern: '^https?://[^?#]+$' };
/**
 * A mail address contains no blanks, brackets or separators, because the address is also a part of SMTP commands and of
 * mail headers.
 */
const bareAddress = '[^\\s@<>()\\[\\],;:\\\\"\\x00-\\x20\\x7f]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?';
const address = `^${bareAddress}$`;
/**
 * The pattern of a name before an address, on one line. `without` lists the characters that the name must not contain.
 */
const nameOf = (without: string): string => `[^\\s${without}\\x00-\\x1f\\x7f][^${without}\\x00-\\x1f\\x7f]{0,99}`;
const sender = `^(?:${bareAddress}|(?:"${nameOf('"\\\\')}"|${nameOf('"<>@,;:\\\\')}) ?<${bareAddress}>)$`;
/** One line of visible text. */
const line = '^[^\\x00-\\x1f\\x7f]+$';

/** Settings of a workspace chat: either an incoming webhook, or a bot and its channel. */
export const WorkspaceChatSettingsSchema = Type.Object(
  {
    webhookUrl: Type.Optional(Type.String({ ...webAddress, description: 'address of an incoming webhook' })),
    botToken: Type.Optional(Type.String({ ...token, description: 'token of a bot that may write messages' })),
    channel: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'id of the channel that the bot writes to' }),
    ),
    apiUrl: Type.Optional(
      Type.String({
        ...apiAddress,
        default: 'https://slack.com/api',
        description: 'address of the API for bots',
      }),
    ),
  },
  closed,
);
export type WorkspaceChatSettings = Static<typeof WorkspaceChatSettingsSchema>;

/** Settings of an office chat: a workflow that accepts cards. */
export const OfficeChatSettingsSchema = Type.Object(
  {
    webhookUrl: Type.String({
      ...webAddress,
      description: 'address that the workflow "when a webhook request is received" shows',
    }),
  },
  closed,
);
export type OfficeChatSettings = Static<typeof OfficeChatSettingsSchema>;

/** Settings of a support messenger: a workspace, and the newsfeeds that show its news items. */
export const SupportMessengerSettingsSchema = Type.Object(
  {
    accessToken: Type.String({ ...token, description: 'token that may read and write news' }),
    senderId: Type.Integer({ minimum: 1, description: 'id of the teammate who is shown as the author of the news' }),
    state: Type.Optional(
      Type.Union([Type.Literal('live'), Type.Literal('draft')], {
        default: 'live',
        description: '`draft` is hidden until a person sets it live in the messenger',
      }),
    ),
    newsfeedIds: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        maxItems: 20,
        uniqueItems: true,
        description: 'newsfeeds that show the item; without any, it is not visible yet',
      }),
    ),
    apiUrl: Type.Optional(
      Type.String({
        ...apiAddress,
        default: 'https://api.intercom.io',
        description: 'address of the API in the region of the workspace',
      }),
    ),
  },
  closed,
);
export type SupportMessengerSettings = Static<typeof SupportMessengerSettingsSchema>;

/** Settings of mail: a mail server, a sender, and the recipients. */
export const EmailSettingsSchema = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: '^[A-Za-z0-9.:-]+$',
      description: 'name of the mail server',
    }),
    port: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_535, description: '587 by default, 465 for implicit TLS, 25 for none' }),
    ),
    tls: Type.Optional(
      Type.Union([Type.Literal('starttls'), Type.Literal('implicit'), Type.Literal('none')], {
        default: 'starttls',
        description:
          'how the connection is encrypted; `none` is for a server on the same machine or network, without password',
      }),
    ),
    certificateAuthority: Type.Optional(
      Type.String({
        maxLength: 20_000,
        description: 'certificate in PEM that the server is checked against, instead of public ones',
      }),
    ),
    user: Type.Optional(
      Type.String({ minLength: 1, maxLength: 254, pattern: line, description: 'name to log in with' }),
    ),
    password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_000, pattern: line, description: 'password for `user`' }),
    ),
    from: Type.String({
      maxLength: 358,
      pattern: sender,
      description:
        'address of the sender, optionally with a name before it, as in `Notes <notes@example.com>`; stored as from and fromName',
    }),
    fromName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, pattern: line, description: 'name of the sender' }),
    ),
    recipients: Type.Array(Type.String({ maxLength: 254, pattern: address }), {
      minItems: 1,
      maxItems: 500,
      description: 'addresses; each receives a message of its own; for more, use the address of a mailing list',
    }),
  },
  closed,
);
export type EmailSettings = Static<typeof EmailSettingsSchema>;

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
 * Returns the pattern of the name before a mail address. The name is one line and contains none of the characters in
 * `without`.
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

/** Settings of an office chat. They contain the address of a workflow that accepts cards. */
export const OfficeChatSettingsSchema = Type.Object(
  {
    webhookUrl: Type.String({
      ...webAddress,
      description: 'address of the webhook, copied from the workflow "when a webhook request is received"',
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
        description: '`draft` hides the news item until a person publishes it in the messenger',
      }),
    ),
    newsfeedIds: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        maxItems: 20,
        uniqueItems: true,
        description: 'ids of the newsfeeds that show the news item; a news item without newsfeeds is not visible',
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
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: 'port of the mail server; by default 587, or 465 if `tls` is `implicit`, or 25 if `tls` is `none`',
      }),
    ),
    tls: Type.Optional(
      Type.Union([Type.Literal('starttls'), Type.Literal('implicit'), Type.Literal('none')], {
        default: 'starttls',
        description:
          'encryption of the connection; `none` is for servers without password on the same machine or network',
      }),
    ),
    certificateAuthority: Type.Optional(
      Type.String({
        maxLength: 20_000,
        description:
          'PEM certificate of the authority that issued the mail server’s certificate, or the mail server’s own self-signed certificate; replaces the public authorities',
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
        'address of the sender, or name and address as in `Notes <notes@example.com>`; the name is stored in `fromName`',
    }),
    fromName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, pattern: line, description: 'name of the sender' }),
    ),
    recipients: Type.Array(Type.String({ maxLength: 254, pattern: address }), {
      minItems: 1,
      maxItems: 500,
      description:
        'addresses of the recipients; each recipient gets a separate message; for more than 500 recipients, use a mailing list',
    }),
  },
  closed,
);
export type EmailSettings = Static<typeof EmailSettingsSchema>;

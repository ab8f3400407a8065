/**
 * What connections of the channels hold, field by field: where the receiver is, and as whom it is written to. Which of the
 * fields are secret is said by each channel's own file in `channels/`.
 */
import { type Static, Type } from '@sinclair/typebox';

const closed = { additionalProperties: false } as const;
/** A token or key that goes into a header. */
const token = { minLength: 1, maxLength: 500, pattern: '^[\\x21-\\x7e]+$' };
const webAddress = { maxLength: 2_000, pattern: '^https?://' };
const apiAddress = { maxLength: 2_000, pattern: '^https?://[^?#]+$' };
/** No blanks, brackets or separators: an address is also a word of the SMTP protocol and of mail headers. */
const bareAddress = '[^\\s@<>()\\[\\],;:\\\\"\\x00-\\x20\\x7f]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?';
const address = `^${bareAddress}$`;
/** A name in front of an address, in quotes or not, on one line. */
const nameOf = (without: string): string => `[^\\s${without}\\x00-\\x1f\\x7f][^${without}\\x00-\\x1f\\x7f]{0,99}`;
const sender = `^(?:${bareAddress}|(?:"${nameOf('"\\\\')}"|${nameOf('"<>@,;:\\\\')}) ?<${bareAddress}>)$`;
/** One line of visible text. */
const line = '^[^\\x00-\\x1f\\x7f]+$';

/** Either an incoming webhook, or a bot with its channel. */
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

/** A workflow that takes cards. */
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

/** A workspace of the messenger, and where its news appear. */
export const SupportMessengerSettingsSchema = Type.Object(
  {
    accessToken: Type.String({ ...token, description: 'token that may read and write news' }),
    senderId: Type.Integer({ minimum: 1, description: 'id of the teammate in whose name the news appear' }),
    state: Type.Optional(
      Type.Union([Type.Literal('live'), Type.Literal('draft')], {
        default: 'live',
        description: '`draft` waits for somebody to set it live in the messenger',
      }),
    ),
    newsfeedIds: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        maxItems: 20,
        uniqueItems: true,
        description: 'newsfeeds that show the item; none: nobody sees it yet',
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

/** A mail server, a sender, and who is written to. */
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
      Type.String({ minLength: 1, maxLength: 1_000, pattern: line, description: 'goes with user' }),
    ),
    from: Type.String({
      maxLength: 358,
      pattern: sender,
      description:
        'address of the sender, also with a name in front: `Notes <notes@example.com>`; stored as from and fromName',
    }),
    fromName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, pattern: line, description: 'name of the sender' }),
    ),
    recipients: Type.Array(Type.String({ maxLength: 254, pattern: address }), {
      minItems: 1,
      maxItems: 500,
      description: 'addresses, each of which gets a message of its own; for more, use the address of a mailing list',
    }),
  },
  closed,
);
export type EmailSettings = Static<typeof EmailSettingsSchema>;

/** The settings of each channel as fields of a form, and their translation between the form and the API. */
import type { ChannelName } from './words.ts';

/** How a field is entered. A `list` has one item per line, and `numbers` are separated by spaces or commas. */
type Kind = 'line' | 'number' | 'text' | 'list' | 'numbers' | 'choice' | 'picture' | 'key';

export interface ChannelField {
  name: string;
  label: string;
  kind: Kind;
  /** The service never shows the value again. */
  isSecret?: true;
  about?: string;
  /** Texts by value, for a choice. The empty value leaves the field out. */
  options?: readonly (readonly [value: string, text: string])[];
  placeholder?: string;
  /** A channel with two methods accepts the fields of one of them only. */
  method?: string;
}

const files: readonly ChannelField[] = [
  { name: 'path', label: 'File', kind: 'line', about: 'Path of the Markdown file in the repository.' },
  { name: 'branch', label: 'Branch', kind: 'line', about: 'Empty: the default branch of the repository.' },
  {
    name: 'message',
    label: 'Commit message',
    kind: 'line',
    placeholder: 'docs: notes of {version} in {file}',
    about: '{version} and {file} are replaced.',
  },
  {
    name: 'via',
    label: 'Writes by',
    kind: 'choice',
    options: [
      ['', 'commit; pull request if the branch is protected'],
      ['pull_request', 'pull request always'],
      ['push', 'commit'],
    ],
  },
];

export const channelFields: Readonly<Record<ChannelName, readonly ChannelField[]>> = {
  scm_releases: [],
  changelog: files,
  releases_md: files,
  hosted: [
    {
      name: 'visibility',
      label: 'Who may read the pages',
      kind: 'choice',
      options: [
        ['', 'everyone for public repositories, no one for private ones'],
        ['public', 'everyone'],
        ['unlisted', 'people with the key'],
        ['off', 'no one'],
      ],
    },
    {
      name: 'key',
      label: 'Key of unlisted pages',
      kind: 'key',
      about: 'Part of the address of unlisted pages: 16 to 128 letters, digits, _ or -.',
    },
    { name: 'title', label: 'Title', kind: 'line', placeholder: 'Release notes of OWNER/NAME' },
    { name: 'language', label: 'Language', kind: 'line', placeholder: 'en' },
    {
      name: 'accent',
      label: 'Color of links',
      kind: 'line',
      placeholder: '#0b57b7',
      about: 'Its shade is adjusted where it could not be read.',
    },
    {
      name: 'logo',
      label: 'Logo',
      kind: 'picture',
      about: 'PNG, JPEG, GIF or WebP of at most 32 KB and 1,024 × 1,024 pixels.',
    },
    {
      name: 'logoAlt',
      label: 'Text in place of the logo',
      kind: 'line',
      about: 'Leave it empty if the logo only repeats the title.',
    },
    {
      name: 'embedIn',
      label: 'Web pages that may show the newest notes in a frame',
      kind: 'list',
      placeholder: 'https://docs.example.com',
      about: 'One origin per line. * alone allows all. Empty: none.',
    },
  ],
  workspace_chat: [
    {
      name: 'webhookUrl',
      label: 'Address of the incoming webhook',
      kind: 'line',
      isSecret: true,
      method: 'Incoming webhook',
      placeholder: 'https://hooks.slack.com/services/…',
      about: 'Can only post: a later revision is a second message.',
    },
    {
      name: 'botToken',
      label: 'Token of the bot',
      kind: 'line',
      isSecret: true,
      method: 'Bot',
      placeholder: 'xoxb-…',
      about: 'Needs the scope chat:write. A later revision updates the message.',
    },
    { name: 'channel', label: 'Id of the chat channel', kind: 'line', method: 'Bot', placeholder: 'C0123456789' },
    { name: 'apiUrl', label: 'Address of the API', kind: 'line', method: 'Bot', placeholder: 'https://slack.com/api' },
  ],
  office_chat: [
    {
      name: 'webhookUrl',
      label: 'Address of the workflow',
      kind: 'line',
      isSecret: true,
      placeholder: 'https://…',
      about: 'Add the workflow that posts to a channel when a webhook request is received, and copy its address.',
    },
  ],
  support_messenger: [
    { name: 'accessToken', label: 'Access token', kind: 'line', isSecret: true, about: 'May read and write news.' },
    { name: 'senderId', label: 'Id of the teammate who is shown as author', kind: 'number' },
    {
      name: 'newsfeedIds',
      label: 'Ids of the newsfeeds',
      kind: 'numbers',
      about: 'Without any, the news item is made but not shown.',
    },
    {
      name: 'state',
      label: 'State of the news item',
      kind: 'choice',
      options: [
        ['live', 'live'],
        ['draft', 'draft: a person publishes it in the messenger'],
      ],
    },
    {
      name: 'apiUrl',
      label: 'Address of the API',
      kind: 'line',
      placeholder: 'https://api.intercom.io',
      about: 'In Europe https://api.eu.intercom.io.',
    },
  ],
  email: [
    { name: 'host', label: 'Mail server', kind: 'line', placeholder: 'smtp.example.com' },
    { name: 'port', label: 'Port', kind: 'number', about: 'Empty: 587, with TLS from the start 465, without TLS 25.' },
    {
      name: 'tls',
      label: 'Encryption',
      kind: 'choice',
      options: [
        ['starttls', 'STARTTLS'],
        ['implicit', 'TLS from the start'],
        ['none', 'none, for a server on the same machine or network'],
      ],
    },
    {
      name: 'certificateAuthority',
      label: 'Certificate of the authority',
      kind: 'text',
      placeholder: '-----BEGIN CERTIFICATE-----',
      about: 'In PEM. Only if no public authority signed the certificate of the server.',
    },
    { name: 'user', label: 'User', kind: 'line', isSecret: true, about: 'User and password: both or none.' },
    { name: 'password', label: 'Password', kind: 'line', isSecret: true },
    { name: 'from', label: 'Sender', kind: 'line', placeholder: 'notes@example.com' },
    { name: 'fromName', label: 'Name of the sender', kind: 'line' },
    {
      name: 'recipients',
      label: 'Recipients',
      kind: 'list',
      isSecret: true,
      placeholder: 'team@example.com',
      about: 'One address per line, at most 500. For more, use a mailing list.',
    },
  ],
};

/** The values of a form, as texts. */
export type Values = Readonly<Record<string, string>>;

/** Returns the values with which a form begins. Secrets are empty, since the service does not show them. */
export function valuesOf(fields: readonly ChannelField[], settings: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(
    fields.map(({ name, kind, options }) => {
      const value = settings[name];
      if (Array.isArray(value)) return [name, value.join(kind === 'list' ? '\n' : ', ')];
      return [name, value === undefined ? (options?.[0]?.[0] ?? '') : String(value)];
    }),
  );
}

/**
 * Returns the settings of a form as the API takes them. Empty fields are left out. A text that is not a number is
 * sent unchanged, so that the service reports what it expects.
 */
export function settingsOf(fields: readonly ChannelField[], values: Values): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const { name, kind } of fields) {
    const text = (values[name] ?? '').trim();
    if (text === '') continue;
    if (kind === 'number') settings[name] = toNumber(text);
    else if (kind === 'numbers') settings[name] = text.split(/[\s,]+/).map(toNumber);
    else if (kind === 'list')
      settings[name] = text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    else settings[name] = text;
  }
  return settings;
}

function toNumber(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

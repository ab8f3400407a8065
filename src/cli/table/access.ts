/**
 * Declares the commands about organizations, repositories, keys and secrets: `dashboard`, `keys`, `orgs`, `repos`,
 * `webhook-secrets`.
 */
import { usualOverlapHours } from '../../protocol/limits.ts';
import type { CommandEntry, SingleEntry } from '../usage.ts';
import { jsonOption } from './options.ts';

const quietKey = { help: 'Prints only the key' } as const;
const quietSecret = { help: 'Prints only the secret' } as const;

export const dashboardEntry = {
  help: 'Prints a link that signs a browser in; it works once, within ten minutes',
  options: {
    key: {
      value: 'KEY_ID',
      help: 'Key that the browser acts as (default: the admin key that the first start created)',
    },
    ...jsonOption('the link, the id of the key and the time at which the link expires'),
  },
  examples: ['dashboard', 'dashboard --key key_0000000000000000000000000000'],
} as const satisfies SingleEntry;

export const keysEntry = {
  help: 'Creates, lists, rotates and revokes API keys',
  examples: [
    'keys create --org acme --name ci',
    'keys create --instance --name backup --expires 90',
    'keys list --json',
  ],
  actions: {
    create: {
      help: 'Creates a key for an organization, or for the instance, and shows it once',
      example: 'keys create --org acme --name ci',
      options: {
        name: { value: 'NAME', required: true, help: 'Display name of the key' },
        org: { value: 'ORGANIZATION', required: 'owner', help: 'Login or id of the organization that the key is for' },
        instance: { required: 'owner', help: 'Creates a key with access to everything' },
        host: { value: 'ORIGIN', help: 'Address of the host of the organization (default: TIDINGS_HOST_ORIGIN)' },
        scopes: { value: 'A,B', help: 'Scopes of the key, such as repos:read,drafts:read (default: all)' },
        expires: { value: 'DAYS', help: 'Days until the key expires (default: never)' },
        test: { help: 'Creates a test key; its requests are always in test mode' },
        quiet: quietKey,
      },
    },
    list: {
      help: 'Lists the keys without their secret parts',
      example: 'keys list --json',
      options: jsonOption('the reply of GET /api/keys'),
    },
    rotate: {
      arguments: 'KEY_ID',
      help: 'Replaces a key with a new one; the old key stays valid for some hours',
      example: 'keys rotate key_0000000000000000000000000000 --overlap 48',
      options: {
        overlap: { value: 'HOURS', help: `Hours that the old key stays valid (default: ${usualOverlapHours})` },
        quiet: quietKey,
      },
    },
    revoke: {
      arguments: 'KEY_ID',
      help: 'Revokes a key immediately',
      example: 'keys revoke key_0000000000000000000000000000',
    },
  },
} as const satisfies CommandEntry;

export const organizationsEntry = {
  help: 'Lists organizations, sets their tiers of limits, and sets whether published notes are kept after app removal',
  examples: ['orgs list', 'orgs tier acme unlimited', 'orgs keep-published acme false'],
  actions: {
    list: {
      help: 'Lists the organizations with their tiers of limits',
      example: 'orgs list',
      options: jsonOption('the reply of GET /api/orgs'),
    },
    tier: {
      arguments: 'LOGIN|ID TIER',
      help: 'Sets the tier of limits of an organization: standard, unlimited, or a tier from the settings',
      example: 'orgs tier acme unlimited',
    },
    'keep-published': {
      arguments: 'LOGIN|ID true|false',
      choices: { 'true|false': ['true', 'false'] },
      help: 'Sets whether published notes are kept (true) or erased (false) after the app is removed',
      example: 'orgs keep-published acme false',
    },
  },
} as const satisfies CommandEntry;

export const repositoriesEntry = {
  help: 'Lists the repositories, connects and disconnects them, and shows, replaces or tries their settings',
  examples: [
    'repos list',
    'repos settings acme/rocket settings.json',
    'repos settings acme/rocket --try settings.json',
  ],
  actions: {
    list: {
      help: 'Lists the repositories with their states',
      example: 'repos list',
      options: jsonOption('the reply of GET /api/repos'),
    },
    select: {
      arguments: 'OWNER/REPO|REPO_ID',
      help: 'Connects a repository: its events are captured',
      example: 'repos select acme/rocket',
    },
    unselect: {
      arguments: 'OWNER/REPO|REPO_ID',
      help: 'Disconnects a repository: its events are dropped',
      example: 'repos unselect acme/rocket',
    },
    settings: {
      arguments: 'OWNER/REPO|REPO_ID [FILE.json|-]',
      help: 'Shows the notes settings of a repository, replaces them with the content of a file, or tries a file',
      example: 'repos settings acme/rocket --try settings.json',
      options: {
        try: {
          value: 'FILE.json|-',
          help: 'Writes nothing; shows which difference the settings would make to the drafts of the last five tag ranges',
        },
        ...jsonOption('the settings, or the reply of POST /api/repos/{repoId}/settings/preview'),
      },
    },
    automation: {
      arguments: 'OWNER/REPO|REPO_ID [FILE.json|-]',
      help: 'Shows the rule by which drafts are made and published, with its newest runs, or replaces it',
      example: 'repos automation acme/rocket rule.json',
      options: { off: { help: 'Switches the automation off' } },
    },
  },
} as const satisfies CommandEntry;

export const webhookSecretsEntry = {
  help: 'Creates, lists, rotates and revokes webhook secrets of hosts and organizations',
  examples: ['webhook-secrets create --org acme', 'webhook-secrets list'],
  actions: {
    create: {
      help: 'Creates a secret of a host, or of one organization, and shows it once',
      example: 'webhook-secrets create --org acme',
      options: {
        host: { value: 'ORIGIN', help: 'Address of the host (default: TIDINGS_HOST_ORIGIN)' },
        org: { value: 'LOGIN|ID', help: 'Organization that the secret is for (default: the whole host)' },
        name: { value: 'NAME', help: 'Display name of the secret' },
        'secret-file': {
          value: 'FILE|-',
          help: 'Reads the secret from a file or standard input (default: generates a new secret)',
        },
        quiet: quietSecret,
      },
    },
    list: {
      help: 'Lists the secrets without showing their values',
      example: 'webhook-secrets list',
      options: jsonOption('the reply of GET /api/webhook-secrets'),
    },
    rotate: {
      arguments: 'SECRET_ID',
      help: 'Generates a new value for a secret; the old value stays valid for some hours',
      example: 'webhook-secrets rotate secret_0000000000000000000000000000',
      options: {
        overlap: { value: 'HOURS', help: `Hours that the old secret stays valid (default: ${usualOverlapHours})` },
        quiet: quietSecret,
      },
    },
    revoke: {
      arguments: 'SECRET_ID',
      help: 'Revokes a secret immediately',
      example: 'webhook-secrets revoke secret_0000000000000000000000000000',
    },
  },
} as const satisfies CommandEntry;

/**
 * Every setting of the service: its type, default, unit, meaning and environment variable, in one place.
 * `load.ts` reads them; the settings table of the README is made from this file (`tidings settings`).
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox';

/** What a setting carries besides its type. `secret` values are never printed. */
export interface SettingNotes {
  env: string;
  description: string;
  secret?: boolean;
}

function setting<T extends TSchema>(schema: T, notes: SettingNotes): T {
  return Object.assign(schema, notes);
}

const count = (minimum: number, maximum: number, fallback: number) =>
  Type.Integer({ minimum, maximum, default: fallback });

/** A port; `words` is what a message says that the value has to be. */
const port = (minimum: 0 | 1, fallback: number) => {
  const words = `a port number from 1 to 65535${minimum === 0 ? ', or 0 for a free one' : ''}`;
  return Type.Integer({ minimum, maximum: 65_535, default: fallback, words });
};

/** The list is handed to child processes with commas between: neither these nor blanks at its ends belong to a secret. */
const secretText = Type.String({
  minLength: 8,
  pattern: '^[^,\\s]([^,]*[^,\\s])?$',
  words: 'secrets of at least 8 characters, with a comma between two of them and no blanks at their ends',
});

const webOrigin = { pattern: '^https?://[^/]+$', words: 'a web address without a path, like https://github.com' };
const origin = Type.String(webOrigin);
const hostKind = Type.Union([Type.Literal('github'), Type.Literal('gitea'), Type.Literal('forgejo')]);
const sealingKeyWords = '32 bytes in base64 or hex, as openssl rand -base64 32 makes them';
const tierName = {
  pattern: '^[a-z][a-z0-9-]{0,31}$',
  words: 'a name of at most 32 lower-case letters, digits and hyphens that begins with a letter',
};

/**
 * A source-code host besides the default one. `kind` gitea is Forgejo too; `apiUrl` is derived from kind and origin when it is
 * left out; `token`, or `appId` with `appKeyFile` (a PEM file), are the credentials for its REST API.
 */
const HostSettingsSchema = Type.Object(
  {
    origin,
    kind: Type.Optional(hostKind),
    apiUrl: Type.Optional(
      Type.String({ pattern: '^https?://', words: 'an address that begins with https:// or http://' }),
    ),
    token: Type.Optional(Type.String({ minLength: 1 })),
    appId: Type.Optional(Type.String({ pattern: '^\\d+$', words: 'the number of a GitHub App, as a text of digits' })),
    appKeyFile: Type.Optional(Type.String({ minLength: 1 })),
  },
  { additionalProperties: false },
);

const mostRequests = 1e9;
const limit = Type.Optional(Type.Integer({ minimum: 0, maximum: mostRequests }));

/** A tier of limits; what it does not name is as in the standard one. */
const TierSettingsSchema = Type.Object(
  {
    name: Type.String(tierName),
    apiPerMinute: limit,
    apiPerHour: limit,
    apiPerDay: limit,
    apiOrgFactor: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e6 })),
    webhooksPerMinute: limit,
    webhooksPerHour: limit,
  },
  { additionalProperties: false },
);

const networks = () =>
  Type.Array(
    Type.String({
      pattern: '^[0-9A-Fa-f.:]+(/\\d{1,3})?$',
      words: 'addresses and networks like 192.0.2.7 or 192.0.2.0/24, with commas between',
    }),
    { default: [] },
  );

export const SettingsSchema = Type.Object(
  {
    port: setting(port(0, 8080), {
      env: 'TIDINGS_PORT',
      description: 'Port of the API and the webhook receiver; 0 takes a free one',
    }),
    host: setting(Type.String({ minLength: 1, default: '127.0.0.1' }), {
      env: 'TIDINGS_HOST',
      description: 'Address the API and the webhook receiver listen on',
    }),
    opsPort: setting(port(0, 9464), {
      env: 'TIDINGS_OPS_PORT',
      description: 'Port of /metrics, /healthz and /readyz; 0 takes a free one',
    }),
    opsHost: setting(Type.String({ minLength: 1, default: '127.0.0.1' }), {
      env: 'TIDINGS_OPS_HOST',
      description: 'Address the ops port listens on',
    }),
    dataDir: setting(Type.String({ minLength: 1, default: './data' }), {
      env: 'TIDINGS_DATA_DIR',
      description: 'Folder of everything the service keeps',
    }),
    publicUrl: setting(
      Type.String({
        default: '',
        pattern: '^($|https?://)',
        words: 'an address that begins with https:// or http://, like https://notes.example.com',
      }),
      {
        env: 'TIDINGS_PUBLIC_URL',
        description: 'Address clients reach the service at, needed to send mail; empty = http://HOST:PORT',
      },
    ),
    webhookSecrets: setting(Type.Array(secretText, { maxItems: 2, default: [] }), {
      env: 'TIDINGS_WEBHOOK_SECRETS',
      description: 'Webhook secrets, current,previous; unset = one is made at first start',
      secret: true,
    }),
    sealingKey: setting(
      Type.String({ default: '', pattern: '^($|[0-9a-fA-F]{64}$|[A-Za-z0-9+/_-]{43}=?$)', words: sealingKeyWords }),
      {
        env: 'TIDINGS_SEALING_KEY',
        description: 'Key that seals stored secrets, 32 bytes in base64 or hex; unset = one is made at first start',
        secret: true,
      },
    ),
    sealingKeysPrevious: setting(
      Type.Array(Type.String({ pattern: '^([0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$', words: sealingKeyWords }), {
        maxItems: 4,
        default: [],
      }),
      {
        env: 'TIDINGS_SEALING_KEYS_PREVIOUS',
        description: 'Former sealing keys, which open what they sealed until it is sealed anew at start',
        secret: true,
      },
    ),
    hostOrigin: setting(Type.String({ ...webOrigin, default: 'https://github.com' }), {
      env: 'TIDINGS_HOST_ORIGIN',
      description: 'Web address of the source-code host that sends webhooks',
    }),
    hostKind: setting(Type.Union(hostKind.anyOf, { default: 'github' }), {
      env: 'TIDINGS_HOST_KIND',
      description: 'What the host is: github, gitea or forgejo',
    }),
    hostApiUrl: setting(
      Type.String({ default: '', pattern: '^($|https?://)', words: 'an address that begins with https:// or http://' }),
      {
        env: 'TIDINGS_HOST_API_URL',
        description: 'Base address of the host’s REST API; empty = the usual one of its kind',
      },
    ),
    hostToken: setting(Type.String({ default: '' }), {
      env: 'TIDINGS_HOST_TOKEN',
      description: 'Token for the host’s REST API (backfill, tag sync); not needed with an app',
      secret: true,
    }),
    hostAppId: setting(Type.String({ default: '', pattern: '^\\d*$', words: 'the number of a GitHub App' }), {
      env: 'TIDINGS_HOST_APP_ID',
      description: 'Id of the GitHub App whose installations give access instead of a token',
    }),
    hostAppKeyFile: setting(Type.String({ default: '' }), {
      env: 'TIDINGS_HOST_APP_KEY_FILE',
      description: 'PEM file with the private key of the GitHub App',
    }),
    hosts: setting(
      Type.Array(HostSettingsSchema, {
        default: [],
        words: 'a JSON list like [{"origin": "https://git.example.com", "kind": "gitea"}]',
      }),
      {
        env: 'TIDINGS_HOSTS',
        description: 'More hosts, a JSON list of {origin, kind, apiUrl, token, appId, appKeyFile}',
        secret: true,
      },
    ),
    limitClaimedRepositories: setting(count(0, 1_000_000, 200), {
      env: 'TIDINGS_LIMIT_CLAIMED_REPOSITORIES',
      description:
        'Repositories that an organization may claim under its own webhook secret before the host confirms them; 0 = no limit',
    }),
    tagSyncHours: setting(count(0, 720, 6), {
      env: 'TIDINGS_TAG_SYNC_HOURS',
      description: 'Time between two looks at a repository’s tags on its host, in hours; 0 = never',
    }),
    autoConnect: setting(Type.Boolean({ default: true }), {
      env: 'TIDINGS_AUTO_CONNECT',
      description: 'Connect a repository when its first signed webhook arrives',
    }),
    natsUrl: setting(
      Type.String({
        default: '',
        pattern: '^($|(nats|tls)://)',
        words: 'an address that begins with tls:// or nats://',
      }),
      {
        env: 'TIDINGS_NATS_URL',
        description: 'An existing NATS server or cluster; empty = a supervised local one',
        secret: true,
      },
    ),
    natsCredentials: setting(Type.String({ default: '' }), {
      env: 'TIDINGS_NATS_CREDENTIALS',
      description: 'File with the credentials for TIDINGS_NATS_URL: .creds, or the NKey seed of a user',
    }),
    natsTlsCa: setting(Type.String({ default: '' }), {
      env: 'TIDINGS_NATS_TLS_CA',
      description: 'PEM file with the CAs of the NATS server, or with its certificate, which is then pinned',
    }),
    natsTlsCert: setting(Type.String({ default: '' }), {
      env: 'TIDINGS_NATS_TLS_CERT',
      description: 'PEM file of the certificate that is shown to the NATS server',
    }),
    natsTlsKey: setting(Type.String({ default: '' }), {
      env: 'TIDINGS_NATS_TLS_KEY',
      description: 'PEM file of that certificate’s private key',
    }),
    natsTlsFirst: setting(Type.Boolean({ default: false }), {
      env: 'TIDINGS_NATS_TLS_FIRST',
      description: 'Begin with TLS, for a NATS server with handshake_first',
    }),
    natsPort: setting(port(1, 14_222), {
      env: 'TIDINGS_NATS_PORT',
      description: 'Port of the supervised nats-server, on loopback',
    }),
    partitions: setting(count(1, 64, 4), {
      env: 'TIDINGS_PARTITIONS',
      description: 'Number of partitions; fixed at first start',
    }),
    workers: setting(count(0, 64, 0), {
      env: 'TIDINGS_WORKERS',
      description: 'Worker processes; 0 = one less than the cores, at least one',
    }),
    renderThreads: setting(count(0, 64, 0), {
      env: 'TIDINGS_RENDER_THREADS',
      description:
        'Render threads per worker; 0 = half the cores, at least two, as each organization holds at most one',
    }),
    renderTimeoutMs: setting(count(100, 600_000, 30_000), {
      env: 'TIDINGS_RENDER_TIMEOUT_MS',
      description: 'Longest time a render may take, in milliseconds',
    }),
    maxBodyBytes: setting(count(1024, 26_214_400, 26_214_400), {
      env: 'TIDINGS_MAX_BODY_BYTES',
      description: 'Largest webhook body, in bytes',
    }),
    bodyBudgetBytes: setting(count(1_048_576, 8_589_934_592, 268_435_456), {
      env: 'TIDINGS_BODY_BUDGET_BYTES',
      description: 'Memory shared by all bodies being received, in bytes',
    }),
    batchRecords: setting(count(1, 4096, 512), {
      env: 'TIDINGS_BATCH_RECORDS',
      description: 'Most records in one journal message',
    }),
    batchBytes: setting(count(65_536, 4_194_304, 1_048_576), {
      env: 'TIDINGS_BATCH_BYTES',
      description: 'Most bytes in one journal message',
    }),
    waitingRecords: setting(count(1, 1_000_000, 10_000), {
      env: 'TIDINGS_WAITING_RECORDS',
      description: 'Most records waiting for a journal lane; beyond it 500 with Retry-After',
    }),
    waitingBytes: setting(count(65_536, 4_294_967_296, 67_108_864), {
      env: 'TIDINGS_WAITING_BYTES',
      description: 'Most bytes waiting for a journal lane',
    }),
    ackDeadlineMs: setting(count(50, 60_000, 2000), {
      env: 'TIDINGS_ACK_DEADLINE_MS',
      description: 'Longest wait for the journal before a request is answered 500, in milliseconds',
    }),
    journalMaxBytes: setting(count(16_777_216, 1_099_511_627_776, 4_294_967_296), {
      env: 'TIDINGS_JOURNAL_MAX_BYTES',
      description: 'Size of a partition’s stream at which the journal refuses, in bytes',
    }),
    snapshotMinutes: setting(count(1, 10_080, 60), {
      env: 'TIDINGS_SNAPSHOT_MINUTES',
      description: 'Time between snapshots of a partition, in minutes',
    }),
    sweepMinutes: setting(count(1, 10_080, 1440), {
      env: 'TIDINGS_SWEEP_MINUTES',
      description: 'Time between sweeps of what was kept long enough, in minutes',
    }),
    tickSeconds: setting(count(1, 3600, 10), {
      env: 'TIDINGS_TICK_SECONDS',
      description: 'Time between clock records of a partition, in seconds',
    }),
    limitApiPerMinute: setting(count(0, 1e9, 100), {
      env: 'TIDINGS_LIMIT_API_PER_MINUTE',
      description: 'API requests a minute and key in the standard tier; 0 = no limit',
    }),
    limitApiPerHour: setting(count(0, 1e9, 1000), {
      env: 'TIDINGS_LIMIT_API_PER_HOUR',
      description: 'API requests an hour and key in the standard tier; 0 = no limit',
    }),
    limitApiPerDay: setting(count(0, 1e9, 10_000), {
      env: 'TIDINGS_LIMIT_API_PER_DAY',
      description: 'API requests a day and organisation in the standard tier; 0 = no limit',
    }),
    limitApiOrgFactor: setting(count(0, 1e6, 5), {
      env: 'TIDINGS_LIMIT_API_ORG_FACTOR',
      description:
        'API requests per minute and hour of all keys of an organisation, as a multiple of those per key; 0 = no limit',
    }),
    maxKeys: setting(count(0, 1e6, 100), {
      env: 'TIDINGS_MAX_KEYS',
      description: 'Maximum of active API keys per organisation; 0 = no maximum',
    }),
    maxRanges: setting(count(0, 1e9, 10_000), {
      env: 'TIDINGS_MAX_RANGES',
      description: 'Maximum of release ranges per organisation; 0 = no maximum',
    }),
    maxWebhookEndpoints: setting(count(0, 1e6, 20), {
      env: 'TIDINGS_MAX_WEBHOOK_ENDPOINTS',
      description: 'Maximum of webhook endpoints per organisation; 0 = no maximum',
    }),
    maxBackfills: setting(count(0, 1e6, 50), {
      env: 'TIDINGS_MAX_BACKFILLS',
      description: 'Maximum of backfills under way per organisation; 0 = no maximum',
    }),
    limitWebhooksPerMinute: setting(count(0, 1e9, 100), {
      env: 'TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE',
      description: 'Webhooks a minute and organisation that are folded at once; 0 = no limit',
    }),
    limitWebhooksPerHour: setting(count(0, 1e9, 1000), {
      env: 'TIDINGS_LIMIT_WEBHOOKS_PER_HOUR',
      description: 'Webhooks an hour and organisation that are folded at once; 0 = no limit',
    }),
    webhookMaxDelayHours: setting(count(0, 720, 24), {
      env: 'TIDINGS_WEBHOOK_MAX_DELAY_HOURS',
      description: 'Longest delay of a webhook over the limit, in hours; beyond it 429',
    }),
    tiers: setting(
      Type.Array(TierSettingsSchema, {
        default: [],
        words: 'a JSON list like [{"name": "large", "apiPerHour": 5000}]',
      }),
      {
        env: 'TIDINGS_TIERS',
        description:
          'More tiers of limits, a JSON list of {name, apiPerMinute, apiPerHour, apiPerDay, apiOrgFactor, webhooksPerMinute, webhooksPerHour}',
      },
    ),
    instanceTier: setting(Type.String({ ...tierName, default: 'standard' }), {
      env: 'TIDINGS_INSTANCE_TIER',
      description: 'Tier of limits of the keys of the instance, which belong to no organisation',
    }),
    usageFlushSeconds: setting(count(1, 60, 5), {
      env: 'TIDINGS_USAGE_FLUSH_SECONDS',
      description: 'Time between writings of what was counted, in seconds; a killed gateway loses as much',
    }),
    webhookAllow: setting(networks(), {
      env: 'TIDINGS_WEBHOOK_ALLOW',
      description: 'Addresses and networks (CIDR) that webhooks may come from; empty = any',
    }),
    trustedProxies: setting(networks(), {
      env: 'TIDINGS_TRUSTED_PROXIES',
      description: 'Addresses and networks (CIDR) of proxies whose X-Forwarded-For is believed',
    }),
    egressAllow: setting(networks(), {
      env: 'TIDINGS_EGRESS_ALLOW',
      description: 'Addresses and networks (CIDR) that channels and webhooks may send to besides public ones',
    }),
    egressAllowHttp: setting(Type.Boolean({ default: false }), {
      env: 'TIDINGS_EGRESS_ALLOW_HTTP',
      description: 'Allow plain http to public addresses; to those of TIDINGS_EGRESS_ALLOW it always is',
    }),
    corsOrigins: setting(
      Type.Array(
        Type.String({
          pattern: '^(\\*|https?://[^/]+)$',
          words: '* or web addresses without a path, like https://app.example.com, with commas between',
        }),
        { default: [] },
      ),
      {
        env: 'TIDINGS_CORS_ORIGINS',
        description: 'Origins of web pages that may call the API, or *; empty = none',
      },
    ),
    logLevel: setting(
      Type.Union(
        ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
        { default: 'info' },
      ),
      { env: 'TIDINGS_LOG_LEVEL', description: 'Least severe level that is logged' },
    ),
  },
  { additionalProperties: false },
);

/** All settings, validated and frozen. Sizes in bytes, times in the unit of their name. */
export type Settings = Readonly<Static<typeof SettingsSchema>>;

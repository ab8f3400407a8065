/**
 * Defines every setting of the service: type, default, unit, meaning and environment variable. `load.ts` reads the
 * values of the settings. `tidings settings` prints the table of `docs/settings.md` from this file.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox';

/**
 * Properties of a setting besides its type. The value of a `secret` setting is never printed. `clusterDefault` is the
 * default on a node of a cluster, if it differs from the default on one machine.
 */
export interface SettingNotes {
  env: string;
  description: string;
  secret?: boolean;
  clusterDefault?: unknown;
}

function setting<T extends TSchema>(schema: T, notes: SettingNotes): T {
  return Object.assign(schema, notes);
}

const count = (minimum: number, maximum: number, fallback: number) =>
  Type.Integer({ minimum, maximum, default: fallback });

/** A port. `words` describes the expected value in error messages. */
const port = (minimum: 0 | 1, fallback: number) => {
  const words = `a port number from 1 to 65535${minimum === 0 ? ', or 0 for any free port' : ''}`;
  return Type.Integer({ minimum, maximum: 65_535, default: fallback, words });
};

/**
 * A secret in a list. Child processes get the list as text separated by commas. So a secret must not contain a comma,
 * and must not begin or end with a space.
 */
const secretText = Type.String({
  minLength: 8,
  pattern: '^[^,\\s]([^,]*[^,\\s])?$',
  words: 'secrets of at least 8 characters, separated by commas; no secret begins or ends with a space',
});

/** Names of nodes that subjects on the journal use for something else. */
const reservedNodes = ['local', 'lead', 'node', 'cluster', 'records'];

const webOrigin = { pattern: '^https?://[^/]+$', words: 'a web address without a path, like https://github.com' };
const origin = Type.String(webOrigin);
const hostKind = Type.Union([Type.Literal('github'), Type.Literal('gitea'), Type.Literal('forgejo')]);
const sealingKeyWords = '32 bytes in base64 or hex, such as the output of openssl rand -base64 32';
const tierName = {
  pattern: '^[a-z][a-z0-9-]{0,31}$',
  words: 'a name that begins with a letter and has at most 32 lower-case letters, digits and hyphens',
};

/**
 * A source-code host in addition to the default one. Without `apiUrl`, the address of its REST API is derived from
 * `kind` and `origin`. The credentials for the REST API are `token`, or `appId` with `appKeyFile` (a PEM file). Forgejo
 * has the same API as Gitea.
 */
const HostSettingsSchema = Type.Object(
  {
    origin,
    kind: Type.Optional(hostKind),
    apiUrl: Type.Optional(
      Type.String({ pattern: '^https?://', words: 'an address that begins with https:// or http://' }),
    ),
    token: Type.Optional(Type.String({ minLength: 1 })),
    appId: Type.Optional(Type.String({ pattern: '^\\d+$', words: 'the number of a GitHub App as a string of digits' })),
    appKeyFile: Type.Optional(Type.String({ minLength: 1 })),
  },
  { additionalProperties: false },
);

const maxRequests = 1e9;
const limit = Type.Optional(Type.Integer({ minimum: 0, maximum: maxRequests }));

/** A tier of limits. For a limit that is not set, the limit of the standard tier applies. */
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
      words: 'addresses and networks like 192.0.2.7 or 192.0.2.0/24, separated by commas',
    }),
    { default: [] },
  );

export const SettingsSchema = Type.Object(
  {
    port: setting(port(0, 8080), {
      env: 'TIDINGS_PORT',
      description: 'Port of the API and the webhook receiver; 0 = any free port',
    }),
    host: setting(Type.String({ minLength: 1, default: '127.0.0.1' }), {
      env: 'TIDINGS_HOST',
      description: 'Address that the API and the webhook receiver listen on',
    }),
    opsPort: setting(port(0, 9464), {
      env: 'TIDINGS_OPS_PORT',
      description: 'Port of /metrics, /healthz and /readyz; 0 = any free port',
    }),
    opsHost: setting(Type.String({ minLength: 1, default: '127.0.0.1' }), {
      env: 'TIDINGS_OPS_HOST',
      description: 'Address that the ops port listens on',
    }),
    dataDir: setting(Type.String({ minLength: 1, default: './data' }), {
      env: 'TIDINGS_DATA_DIR',
      description: 'Folder for all data of the service',
    }),
    publicUrl: setting(
      Type.String({
        default: '',
        pattern: '^($|https?://)',
        words: 'an address that begins with https:// or http://, like https://notes.example.com',
      }),
      {
        env: 'TIDINGS_PUBLIC_URL',
        description: 'Public address of the service, required for mail; empty = http://HOST:PORT',
      },
    ),
    webhookSecrets: setting(Type.Array(secretText, { maxItems: 2, default: [] }), {
      env: 'TIDINGS_WEBHOOK_SECRETS',
      description:
        'Current webhook secret, optionally followed by a comma and the previous one; unset = generated at first start',
      secret: true,
    }),
    sealingKey: setting(
      Type.String({ default: '', pattern: '^($|[0-9a-fA-F]{64}$|[A-Za-z0-9+/_-]{43}=?$)', words: sealingKeyWords }),
      {
        env: 'TIDINGS_SEALING_KEY',
        description: 'Key that encrypts stored secrets, 32 bytes in base64 or hex; unset = generated at first start',
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
        description:
          'Former sealing keys; at each start, secrets encrypted with them are re-encrypted with the current key',
        secret: true,
      },
    ),
    hostOrigin: setting(Type.String({ ...webOrigin, default: 'https://github.com' }), {
      env: 'TIDINGS_HOST_ORIGIN',
      description: 'Web address of the source-code host that sends webhooks',
    }),
    hostKind: setting(Type.Union(hostKind.anyOf, { default: 'github' }), {
      env: 'TIDINGS_HOST_KIND',
      description: 'Kind of the host: github, gitea or forgejo',
    }),
    hostApiUrl: setting(
      Type.String({ default: '', pattern: '^($|https?://)', words: 'an address that begins with https:// or http://' }),
      {
        env: 'TIDINGS_HOST_API_URL',
        description: 'Base address of the host’s REST API; empty = the default of its kind',
      },
    ),
    hostToken: setting(Type.String({ default: '' }), {
      env: 'TIDINGS_HOST_TOKEN',
      description: 'Token for the host’s REST API (backfill, tag sync); not needed with a GitHub App',
      secret: true,
    }),
    hostAppId: setting(Type.String({ default: '', pattern: '^\\d*$', words: 'the number of a GitHub App' }), {
      env: 'TIDINGS_HOST_APP_ID',
      description: 'Id of the GitHub App that the service uses instead of a token',
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
        'Maximum number of repositories per organization that are known only from deliveries signed with the organization’s own secret; 0 = no limit',
    }),
    tagSyncHours: setting(count(0, 720, 6), {
      env: 'TIDINGS_TAG_SYNC_HOURS',
      description: 'Interval between tag syncs of a repository with its host, in hours; 0 = never',
    }),
    autoConnect: setting(Type.Boolean({ default: true }), {
      env: 'TIDINGS_AUTO_CONNECT',
      description: 'Connect a repository when its first signed webhook arrives',
    }),
    natsUrl: setting(
      Type.String({
        default: '',
        pattern: '^($|(nats|tls)://)',
        words: 'an address that begins with tls:// or nats://, or a list of such addresses separated by commas',
      }),
      {
        env: 'TIDINGS_NATS_URL',
        description:
          'Address of an existing NATS server, or addresses of the servers of a cluster, separated by commas; empty = a local supervised server',
        secret: true,
      },
    ),
    natsCredentials: setting(Type.String({ default: '' }), {
      env: 'TIDINGS_NATS_CREDENTIALS',
      description: 'Credentials for TIDINGS_NATS_URL: a .creds file, or a file with the NKey seed of a user',
    }),
    natsTlsCa: setting(Type.String({ default: '' }), {
      env: 'TIDINGS_NATS_TLS_CA',
      description:
        'PEM file with the CA certificates of the NATS server, or with the server’s own certificate, which is then the only one accepted',
    }),
    natsTlsCert: setting(Type.String({ default: '' }), {
      env: 'TIDINGS_NATS_TLS_CERT',
      description: 'PEM file with the client certificate for the NATS server',
    }),
    natsTlsKey: setting(Type.String({ default: '' }), {
      env: 'TIDINGS_NATS_TLS_KEY',
      description: 'PEM file with the private key of the client certificate',
    }),
    natsTlsFirst: setting(Type.Boolean({ default: false }), {
      env: 'TIDINGS_NATS_TLS_FIRST',
      description: 'Begin connections with the TLS handshake; required if the NATS server sets handshake_first',
    }),
    node: setting(
      Type.String({
        default: '',
        pattern: `^($|(?!(${reservedNodes.join('|')})$)[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$)`,
        words: `a name of at most 32 lower-case letters, digits and hyphens, other than ${reservedNodes.join(', ')}`,
      }),
      {
        env: 'TIDINGS_NODE',
        description: 'Name of this machine among several on one NATS cluster, such as a; empty = one machine',
      },
    ),
    journalReplicas: setting(count(1, 5, 1), {
      env: 'TIDINGS_JOURNAL_REPLICAS',
      description: 'Number of NATS servers that store each new stream; several need TIDINGS_NATS_URL',
    }),
    leadSeconds: setting(count(12, 600, 15), {
      env: 'TIDINGS_LEAD_SECONDS',
      description:
        'How long the lead of a partition may be silent before another machine takes over, and how old the data may be that a machine serves, in seconds; without effect on one machine',
    }),
    natsMonitor: setting(
      Type.Array(
        Type.String({ pattern: '^https?://[^@\\s]+$', words: 'an address that begins with http:// or https://' }),
        { default: [], maxItems: 16 },
      ),
      {
        env: 'TIDINGS_NATS_MONITOR',
        description:
          'Addresses of the monitoring ports of the servers of TIDINGS_NATS_URL, which show whether the servers sync to disk; empty = unknown',
      },
    ),
    natsPort: setting(port(1, 14_222), {
      env: 'TIDINGS_NATS_PORT',
      description: 'Port of the supervised nats-server, on loopback',
    }),
    partitions: setting(count(0, 64, 0), {
      env: 'TIDINGS_PARTITIONS',
      description: 'Number of partitions, fixed at first start; 0 = number of cores, at least 2 and at most 8',
    }),
    gateways: setting(count(0, 64, 1), {
      env: 'TIDINGS_GATEWAYS',
      description: 'Number of gateway processes, which share one port; 0 = one per two cores, at least one',
    }),
    workers: setting(count(0, 64, 0), {
      env: 'TIDINGS_WORKERS',
      description: 'Number of worker processes; 0 = number of cores minus one, at least one',
    }),
    renderThreads: setting(count(0, 64, 0), {
      env: 'TIDINGS_RENDER_THREADS',
      description:
        'Number of render threads per worker; 0 = half the cores, at least two; an organization uses at most one thread',
    }),
    renderTimeoutMs: setting(count(100, 600_000, 30_000), {
      env: 'TIDINGS_RENDER_TIMEOUT_MS',
      description: 'Maximum time of a render, in milliseconds',
    }),
    maxBodyBytes: setting(count(1024, 26_214_400, 26_214_400), {
      env: 'TIDINGS_MAX_BODY_BYTES',
      description: 'Maximum size of a webhook body, in bytes',
    }),
    bodyBudgetBytes: setting(count(1_048_576, 8_589_934_592, 268_435_456), {
      env: 'TIDINGS_BODY_BUDGET_BYTES',
      description: 'Maximum memory for all bodies being received, in bytes',
    }),
    batchRecords: setting(count(1, 4096, 512), {
      env: 'TIDINGS_BATCH_RECORDS',
      description: 'Maximum number of records in one journal message',
    }),
    batchBytes: setting(count(65_536, 4_194_304, 1_048_576), {
      env: 'TIDINGS_BATCH_BYTES',
      description: 'Maximum size of one journal message, in bytes',
    }),
    waitingRecords: setting(count(1, 1_000_000, 10_000), {
      env: 'TIDINGS_WAITING_RECORDS',
      description: 'Maximum number of records waiting for a journal lane; further requests get 500 with Retry-After',
    }),
    waitingBytes: setting(count(65_536, 4_294_967_296, 67_108_864), {
      env: 'TIDINGS_WAITING_BYTES',
      description: 'Maximum size of the records waiting for a journal lane, in bytes',
    }),
    ackDeadlineMs: setting(count(50, 60_000, 2000), {
      env: 'TIDINGS_ACK_DEADLINE_MS',
      description:
        'Timeout of a write to the journal, in milliseconds; after the timeout, the request gets 500; with TIDINGS_NODE, the default is 9000',
      // When a server is lost, the others need 4 to 9 seconds to elect a new leader of a stream. A host waits 10 seconds
      // for a reply, so most elections refuse no delivery.
      clusterDefault: 9000,
    }),
    journalMaxBytes: setting(count(16_777_216, 1_099_511_627_776, 4_294_967_296), {
      env: 'TIDINGS_JOURNAL_MAX_BYTES',
      description: 'Maximum size of a partition’s stream, in bytes; the journal refuses records beyond it',
    }),
    snapshotMinutes: setting(count(1, 10_080, 60), {
      env: 'TIDINGS_SNAPSHOT_MINUTES',
      description: 'Interval between snapshots of a partition, in minutes',
    }),
    sweepMinutes: setting(count(1, 10_080, 1440), {
      env: 'TIDINGS_SWEEP_MINUTES',
      description: 'Interval in minutes between sweeps, which erase records after their retention period',
    }),
    tickSeconds: setting(count(1, 3600, 10), {
      env: 'TIDINGS_TICK_SECONDS',
      description: 'Interval between clock records of a partition, in seconds',
    }),
    limitApiPerMinute: setting(count(0, 1e9, 100), {
      env: 'TIDINGS_LIMIT_API_PER_MINUTE',
      description: 'API requests per minute per key in the standard tier; 0 = no limit',
    }),
    limitApiPerHour: setting(count(0, 1e9, 1000), {
      env: 'TIDINGS_LIMIT_API_PER_HOUR',
      description: 'API requests per hour per key in the standard tier; 0 = no limit',
    }),
    limitApiPerDay: setting(count(0, 1e9, 10_000), {
      env: 'TIDINGS_LIMIT_API_PER_DAY',
      description: 'API requests per day per organization in the standard tier; 0 = no limit',
    }),
    limitApiOrgFactor: setting(count(0, 1e6, 5), {
      env: 'TIDINGS_LIMIT_API_ORG_FACTOR',
      description:
        'API limits per minute and hour for all keys of an organization together, as a multiple of the limits per key; 0 = no limit',
    }),
    maxKeys: setting(count(0, 1e6, 100), {
      env: 'TIDINGS_MAX_KEYS',
      description: 'Maximum number of active API keys per organization; 0 = no maximum',
    }),
    maxRanges: setting(count(0, 1e9, 10_000), {
      env: 'TIDINGS_MAX_RANGES',
      description: 'Maximum number of release ranges per organization; 0 = no maximum',
    }),
    maxWebhookEndpoints: setting(count(0, 1e6, 20), {
      env: 'TIDINGS_MAX_WEBHOOK_ENDPOINTS',
      description: 'Maximum number of webhook endpoints per organization; 0 = no maximum',
    }),
    maxBackfills: setting(count(0, 1e6, 50), {
      env: 'TIDINGS_MAX_BACKFILLS',
      description: 'Maximum number of backfills in progress per organization; 0 = no maximum',
    }),
    limitWebhooksPerMinute: setting(count(0, 1e9, 100), {
      env: 'TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE',
      description: 'Webhooks per minute per organization that are processed without delay; 0 = no limit',
    }),
    limitWebhooksPerHour: setting(count(0, 1e9, 1000), {
      env: 'TIDINGS_LIMIT_WEBHOOKS_PER_HOUR',
      description: 'Webhooks per hour per organization that are processed without delay; 0 = no limit',
    }),
    webhookMaxDelayHours: setting(count(0, 720, 24), {
      env: 'TIDINGS_WEBHOOK_MAX_DELAY_HOURS',
      description: 'Maximum delay in hours for webhooks over the limit; if the delay would be longer, the reply is 429',
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
      description: 'Tier of limits for instance keys, which belong to no organization',
    }),
    usageFlushSeconds: setting(count(1, 60, 5), {
      env: 'TIDINGS_USAGE_FLUSH_SECONDS',
      description: 'Interval between saves of usage counters, in seconds; a killed gateway loses unsaved counts',
    }),
    webhookAllow: setting(networks(), {
      env: 'TIDINGS_WEBHOOK_ALLOW',
      description: 'Addresses and networks (CIDR) that webhooks may come from; empty = any',
    }),
    trustedProxies: setting(networks(), {
      env: 'TIDINGS_TRUSTED_PROXIES',
      description: 'Addresses and networks (CIDR) of proxies whose X-Forwarded-For is trusted',
    }),
    egressAllow: setting(networks(), {
      env: 'TIDINGS_EGRESS_ALLOW',
      description:
        'Addresses and networks (CIDR) that channels and webhooks may send to, in addition to public addresses',
    }),
    egressAllowHttp: setting(Type.Boolean({ default: false }), {
      env: 'TIDINGS_EGRESS_ALLOW_HTTP',
      description:
        'Allow plain http to public addresses; plain http to addresses in TIDINGS_EGRESS_ALLOW is always allowed',
    }),
    corsOrigins: setting(
      Type.Array(
        Type.String({
          pattern: '^(\\*|https?://[^/]+)$',
          words:
            'the sign * for all origins, or web addresses without a path, separated by commas, like https://app.example.com',
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
      { env: 'TIDINGS_LOG_LEVEL', description: 'Least severe level of the log lines that the service writes' },
    ),
  },
  { additionalProperties: false },
);

/** All settings, validated and frozen. Sizes are in bytes. For times, the name of the setting ends with the unit. */
export type Settings = Readonly<Static<typeof SettingsSchema>>;

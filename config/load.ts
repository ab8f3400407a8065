/**
 * Reads the settings from the environment, then from the JSON file named by TIDINGS_CONFIG, then from the defaults. For
 * each setting, the first value found is used. Nothing else in the project reads settings from `process.env`. All
 * faults are reported together, each with its environment variable.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import { faultsOf, type SettingFault } from './expected.ts';
import { natsAddressesOf, natsAddressFaults } from './nats-addresses.ts';
import { didYouMean } from './nearest.ts';
import { isOneOfSeveral } from './nodes.ts';
import { partitionsOf } from './partitions.ts';
import { type SettingNotes, type Settings, SettingsSchema } from './schema.ts';
import { builtInTiers } from './tiers.ts';

/** The error for settings that cannot be used. `faults` contains one line per fault, without the values of secrets. */
export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The settings cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'SettingsError';
    this.faults = faults;
  }
}

/** One setting: its schema, notes and name. */
export type SettingEntry = TSchema & SettingNotes & { name: string };

/** All settings in the order of the schema. */
export const settingEntries: readonly SettingEntry[] = Object.entries(SettingsSchema.properties).map(
  ([name, schema]) => ({ ...(schema as unknown as TSchema & SettingNotes), name }),
);

const otherVariables = new Set(['TIDINGS_CONFIG', 'TIDINGS_ROLE']);

/**
 * Loads and checks all settings.
 * @param env the environment, usually `process.env`
 * @throws SettingsError with every variable that is unknown or has an unacceptable value
 */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const faults: string[] = [];
  const values = readFile(env, faults);
  for (const entry of settingEntries) {
    const raw = env[entry.env];
    const isFromFile = (raw === undefined || raw === '') && values[entry.name] !== undefined;
    if (raw !== undefined && raw !== '') values[entry.name] = fromText(entry, raw);
    if (values[entry.name] === undefined) values[entry.name] = defaultOf(entry, values.node);
    const source = isFromFile ? `${entry.name} in ${env.TIDINGS_CONFIG}` : undefined;
    faults.push(...faultsOf(entry, values[entry.name]).map((fault) => describe(entry, fault, source)));
  }
  faults.push(...unknownVariables(env));
  if (faults.length === 0) faults.push(...crossFaults(values as unknown as Settings));
  if (faults.length > 0) throw new SettingsError(faults);
  const settings = values as unknown as Settings;
  const dataDir = resolve(settings.dataDir);
  return Object.freeze({ ...settings, dataDir, partitions: settings.partitions || partitionsOf(dataDir) });
}

/** Like `loadSettings`, with values that replace those of the environment. */
export function loadSettingsWith(values: Readonly<Record<string, string>>): Settings {
  return loadSettings({ ...process.env, ...values });
}

/** Returns the default of a setting. @param node name of the node in a cluster; empty or undefined on one machine */
export function defaultOf({ default: oneMachine, clusterDefault = oneMachine }: SettingEntry, node: unknown): unknown {
  return typeof node === 'string' && isOneOfSeveral({ node }) ? clusterDefault : oneMachine;
}

/**
 * Returns environment variables from which a child process loads the same settings, even if the settings file has
 * changed since this process read it.
 */
export function settingsToEnv(settings: Settings): Record<string, string> {
  const env: Record<string, string> = {};
  for (const entry of settingEntries) {
    const value = settings[entry.name as keyof Settings];
    env[entry.env] = toText(entry, value);
  }
  return env;
}

function toText(entry: SettingEntry, value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  return isListOfObjects(entry) ? JSON.stringify(value) : value.join(',');
}

/** Whether a setting is a list of objects, which the environment holds as JSON. Other lists are separated by commas. */
function isListOfObjects(entry: SettingEntry): boolean {
  return entry.type === 'array' && entry.items.type === 'object';
}

function readFile(env: NodeJS.ProcessEnv, faults: string[]): Record<string, unknown> {
  const path = env.TIDINGS_CONFIG;
  if (!path) return {};
  try {
    const values = parseFile(readFileSync(path, 'utf8'));
    if (typeof values !== 'object' || values === null || Array.isArray(values)) {
      throw new Error('expected a JSON object');
    }
    const known = settingEntries.map((entry) => entry.name);
    for (const name of Object.keys(values)) {
      if (!known.includes(name))
        faults.push(`${path}: unknown setting ${JSON.stringify(name)}.${didYouMean(name, known)}`);
    }
    return { ...values };
  } catch (error) {
    faults.push(`TIDINGS_CONFIG ${path}: ${(error as Error).message}`);
    return {};
  }
}

/**
 * Parses the settings file. The message of the JSON parser is replaced, because the parser quotes a part of the file.
 * This part can be a secret.
 */
function parseFile(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('expected a JSON object, got a text that is not JSON');
  }
}

function fromText(entry: SettingEntry, raw: string): unknown {
  const text = raw.trim();
  if (entry.type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text;
  if (entry.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (isListOfObjects(entry)) return listOf(text);
  if (entry.type === 'array') {
    return text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }
  return text;
}

/** Parses JSON. A text that is not JSON is returned unchanged, and the schema then refuses it. */
function listOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * @param source the file that the value was read from; undefined if the value was read from the environment variable
 */
function describe(entry: SettingEntry, { place, expected, given }: SettingFault, source: string | undefined): string {
  const where = `${entry.env}${place}${source === undefined ? '' : ` (${source})`}`;
  const shown = entry.secret ? 'a value that is not shown' : JSON.stringify(given?.value);
  const fault = `${where}: ${expected}${given === undefined ? '' : `, got ${shown}`}`;
  return `${fault}${/[.?]$/.test(fault) ? '' : '.'} ${entry.description}.`;
}

function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = [...settingEntries.map((entry) => entry.env), ...otherVariables];
  return Object.keys(env)
    .filter((name) => name.startsWith('TIDINGS_') && !known.includes(name))
    .map((name) => `${name}: no such setting.${didYouMean(name, known) || ' See: tidings settings'}`);
}

function crossFaults(settings: Settings): string[] {
  const faults: string[] = [];
  if (settings.bodyBudgetBytes < settings.maxBodyBytes) {
    faults.push('TIDINGS_BODY_BUDGET_BYTES: expected at least TIDINGS_MAX_BODY_BYTES');
  }
  if (settings.waitingBytes < settings.batchBytes) {
    faults.push('TIDINGS_WAITING_BYTES: expected at least TIDINGS_BATCH_BYTES');
  }
  if (settings.port !== 0 && settings.port === settings.opsPort) {
    faults.push('TIDINGS_OPS_PORT: expected a port other than TIDINGS_PORT');
  }
  if ((settings.hostAppId === '') !== (settings.hostAppKeyFile === '')) {
    faults.push('TIDINGS_HOST_APP_ID: expected together with TIDINGS_HOST_APP_KEY_FILE');
  }
  faults.push(...natsFaults(settings), ...hostFaults(settings), ...tierFaults(settings));
  faults.push(...networkFaults('TIDINGS_WEBHOOK_ALLOW', settings.webhookAllow));
  faults.push(...networkFaults('TIDINGS_EGRESS_ALLOW', settings.egressAllow));
  faults.push(...networkFaults('TIDINGS_TRUSTED_PROXIES', settings.trustedProxies));
  return faults;
}

/**
 * Returns the faults of the NATS settings. Credentials, certificates and monitoring ports may be set only for an
 * external server. The supervised server has its own credentials and certificate, and its configuration is known.
 */
function natsFaults(settings: Settings): string[] {
  const { natsUrl, natsCredentials, natsTlsCa, natsTlsCert, natsTlsKey, natsTlsFirst, natsMonitor } = settings;
  const faults: string[] = [];
  if (natsUrl === '') {
    const given = {
      TIDINGS_NATS_CREDENTIALS: natsCredentials !== '',
      TIDINGS_NATS_TLS_CA: natsTlsCa !== '',
      TIDINGS_NATS_TLS_CERT: natsTlsCert !== '',
      TIDINGS_NATS_TLS_FIRST: natsTlsFirst,
      TIDINGS_NODE: settings.node !== '',
      TIDINGS_JOURNAL_REPLICAS: settings.journalReplicas > 1,
      TIDINGS_NATS_MONITOR: natsMonitor.length > 0,
    };
    for (const [variable, isGiven] of Object.entries(given))
      if (isGiven) faults.push(`${variable}: expected together with TIDINGS_NATS_URL`);
  } else {
    faults.push(...natsAddressFaults(natsUrl));
    if (faults.length === 0 && natsCredentials !== '' && natsAddressesOf(natsUrl).credentials)
      faults.push('TIDINGS_NATS_CREDENTIALS: expected no value, because TIDINGS_NATS_URL already contains credentials');
  }
  if ((natsTlsCert === '') !== (natsTlsKey === ''))
    faults.push('TIDINGS_NATS_TLS_CERT: expected together with TIDINGS_NATS_TLS_KEY');
  return faults;
}

/**
 * Returns the faults of the host settings: two hosts with the same origin, or an app without its id or its key file.
 */
function hostFaults({ hostOrigin, hosts }: Settings): string[] {
  const faults: string[] = [];
  const origins = new Set([hostOrigin]);
  for (const [i, host] of hosts.entries()) {
    if (origins.has(host.origin))
      faults.push(`TIDINGS_HOSTS[${i}].origin: host ${i} has the same origin as the default host or an earlier host`);
    origins.add(host.origin);
    if ((host.appId === undefined) !== (host.appKeyFile === undefined))
      faults.push(`TIDINGS_HOSTS[${i}]: expected appId together with appKeyFile`);
  }
  return faults;
}

function tierFaults({ tiers, instanceTier }: Settings): string[] {
  const names = new Set(builtInTiers);
  const faults = tiers.flatMap(({ name }) => {
    if (names.has(name)) return [`TIDINGS_TIERS: expected a different name for each tier, got ${name} twice`];
    names.add(name);
    return [];
  });
  if (names.has(instanceTier)) return faults;
  return [...faults, `TIDINGS_INSTANCE_TIER: expected one of ${[...names].join(', ')}, got ${instanceTier}`];
}

function networkFaults(variable: string, networks: readonly string[]): string[] {
  return networks.flatMap((network) => {
    const [address = '', bits] = network.split('/');
    const maxBits = [0, 0, 0, 0, 32, 0, 128][isIP(address)] as number;
    if (maxBits > 0 && Number(bits ?? 0) <= maxBits) return [];
    return [`${variable}: expected an address or a network such as 192.0.2.0/24, got ${JSON.stringify(network)}`];
  });
}

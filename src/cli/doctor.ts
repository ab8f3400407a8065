/**
 * `tidings doctor`: checks settings, programs, data directory, disk and hosts. If the service is running, the command
 * also checks the service. It reports each fault with its remedy.
 */
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { loadSettings } from '../../config/load.ts';
import { natsAddressesOf } from '../../config/nats-addresses.ts';
import { isOneOfSeveral } from '../../config/nodes.ts';
import { partitionCountFile } from '../../config/partitions.ts';
import type { Settings } from '../../config/schema.ts';
import { createLogger } from '../foundation/logger.ts';
import { directoryName, partitionNames } from '../foundation/partition-names.ts';
import { modeText, openPaths } from '../foundation/private-files.ts';
import { SealError, type Sealer } from '../foundation/seal.ts';
import { connectionFault, connectJournal, type Journal } from '../journal/connect.ts';
import { type NatsSettings, tlsOptionsOf } from '../journal/credentials.ts';
import { askGateways, type GatewayFacts } from '../journal/gateway-facts.ts';
import { findDurability } from '../journal/monitor.ts';
import { askServers } from '../journal/servers.ts';
import { durabilityOf, isMissing, neededPayloadBytes, type StreamState, streamState } from '../journal/topology.ts';
import { Readers } from '../store/readers.ts';
import { listSeals, type StoredSeal } from '../store/tables/seals.ts';
import { openSealer, webhookSecretFile } from '../supervisor/first-start.ts';
import { checkServerFiles } from '../supervisor/http-server-files.ts';
import { findNatsServer, natsServerVersion } from '../supervisor/nats-server.ts';
import { serversOf, serviceJournal } from './connection.ts';
import { checkMembership, checkNode, describePositions, describeServers } from './doctor-cluster.ts';
import { describeDurability } from './doctor-durability.ts';
import { checkHosts } from './doctor-hosts.ts';
import { checkOwners } from './doctor-owners.ts';
import { checkPublicAddress, checkPublicUrl } from './doctor-public-url.ts';
import { checkRefused } from './doctor-refused.ts';
import { checkVersions } from './doctor-versions.ts';
import type { Finding, Verdict } from './finding.ts';
import { printJson } from './json.ts';
import { printLines } from './print.ts';
import { waitingLines } from './retention.ts';
import type { doctorEntry } from './table/operation.ts';
import type { Run } from './usage.ts';

const marks: Record<Verdict, string> = { ok: '✓', note: '!', fault: '✗' };
const minFreeBytes = 1_073_741_824;

export const runDoctor: Run<typeof doctorEntry> = async ({ offline, json }) => {
  const settings = loadSettings();
  const journal = await checkJournal(settings);
  const findings = [
    { verdict: 'ok', text: `settings: ${settings.partitions} partitions, data in ${settings.dataDir}` } as Finding,
    ...checkVersions(),
    checkHttpServer(),
    ...checkDataDir(settings),
    ...checkMembership(settings),
    ...(await describePositions(settings)),
    checkDisk(settings),
    ...checkModes(settings),
    ...checkSecrets(settings),
    ...(await checkSeals(settings)),
    ...journal.findings,
    ...checkRetention(settings),
    ...(await checkOwners(settings)),
    checkPublicUrl(settings),
    ...(offline ? [] : await checkPublicAddress(settings, journal.gateways?.marks)),
    ...(offline ? [] : await checkHosts(settings)),
    ...checkRefused(journal.gateways),
  ];
  if (json) printJson({ findings, total: findings.length });
  else printLines(findings.map(({ verdict, text }) => `${marks[verdict]} ${text}`));
  return findings.some(({ verdict }) => verdict === 'fault') ? 1 : 0;
};

/** Checks that the files of the native HTTP server equal the expected files byte by byte. */
function checkHttpServer(): Finding {
  const { verdict, text } = checkServerFiles();
  if (verdict === 'same') return { verdict: 'ok', text };
  return {
    verdict: verdict === 'unsure' ? 'note' : 'fault',
    text: `${text}. Run npm run setup, or see docs/provenance.md`,
  };
}

function checkDataDir({ dataDir, partitions }: Settings): Finding[] {
  if (!existsSync(dataDir))
    return [{ verdict: 'note', text: `data directory ${dataDir} does not exist yet: the first start creates it` }];
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK);
  } catch {
    return [
      {
        verdict: 'fault',
        text: `data directory ${dataDir} is not writable: change its owner, or set TIDINGS_DATA_DIR to another directory`,
      },
    ];
  }
  const file = partitionCountFile(dataDir);
  const fixed = existsSync(file) ? Number(readFileSync(file, 'utf8')) : partitions;
  if (fixed === partitions) return [{ verdict: 'ok', text: `data directory ${dataDir} is writable` }];
  return [
    { verdict: 'fault', text: `${dataDir} was created with ${fixed} partitions: set TIDINGS_PARTITIONS to ${fixed}` },
  ];
}

function checkDisk({ dataDir }: Settings): Finding {
  let folder = dataDir;
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `disk: ${(free / 1e9).toFixed(1)} GB free`;
  return free >= minFreeBytes ? { verdict: 'ok', text } : { verdict: 'fault', text: `${text}: expected at least 1 GB` };
}

function checkSecrets({ dataDir, webhookSecrets, natsCredentials, natsTlsKey }: Settings): Finding[] {
  // Group access to these files is not a fault. The files belong to the operator, who may share them with a group.
  const open = [natsCredentials, natsTlsKey].filter((file) => isOpen(file, 0o007));
  const findings: Finding[] = open.map((file) => ({
    verdict: 'fault',
    text: `${file} can be read by other users. Run: chmod 600 ${file}`,
  }));
  const origin =
    webhookSecrets.length > 0
      ? 'from TIDINGS_WEBHOOK_SECRETS'
      : `in ${webhookSecretFile(dataDir)}, created at first start`;
  return [...findings, { verdict: 'ok', text: `webhook secret ${origin}` }];
}

/**
 * Finds files of the data directory that other users of the machine can read or change. The service itself corrects the
 * modes of these files when it starts.
 */
function checkModes({ dataDir }: Settings): Finding[] {
  if (!existsSync(dataDir)) return [];
  const open = openPaths(dataDir);
  if (open.length === 0) return [{ verdict: 'ok', text: `data directory ${dataDir} is closed to other users` }];
  return open.map(({ path, mode, expected }) => ({
    verdict: 'fault',
    text: `${path} is open to other users (mode ${modeText(mode)}, expected ${modeText(expected)}). Run: chmod ${modeText(expected)} ${path}`,
  }));
}

function isOpen(file: string, mask: number): boolean {
  return existsSync(file) && (statSync(file).mode & mask) !== 0;
}

function checkRetention(settings: Settings): Finding[] {
  return waitingLines(settings).map((line) => ({
    verdict: 'note',
    text: `retention of ${line}. For details, run: tidings retention show. To approve the erasure, run: tidings retention approve`,
  }));
}

/** Checks whether the sealing keys open all stored secrets, and whether former sealing keys are still needed. */
async function checkSeals(settings: Settings): Promise<Finding[]> {
  const seals = await storedSeals(settings);
  const all = `${seals.length} stored secrets`;
  if (seals.length === 0) return [];
  try {
    const sealer = openSealer(settings);
    const broken = seals.filter((seal) => !opens(sealer, seal)).length;
    if (broken > 0) {
      const remedy = 'restore the former sealing key, or rotate the secrets';
      return [{ verdict: 'fault', text: `sealing key cannot decrypt ${broken} of ${all}: ${remedy}` }];
    }
    const former = seals.filter(({ sealed }) => !sealer.isCurrent(sealed)).length;
    if (former === 0) return [{ verdict: 'ok', text: `sealing key decrypts all ${all}` }];
    return [
      {
        verdict: 'note',
        text: `${former} of ${all} are still sealed with a former sealing key. The next start seals them again with the key in use`,
      },
    ];
  } catch (error) {
    return [{ verdict: 'fault', text: `sealing key: ${(error as Error).message}` }];
  }
}

async function storedSeals(settings: Settings): Promise<StoredSeal[]> {
  const readers = new Readers(settings.dataDir);
  try {
    const directory = readers.fresh(directoryName);
    // The table `channels` can be missing when an earlier version of Tidings wrote the store. The process that owns the
    // store adds missing tables when it opens the store.
    return directory?.tables.channels ? listSeals(directory) : [];
  } finally {
    await readers.close();
  }
}

function opens(sealer: Sealer, { sealed, belongsTo }: StoredSeal): boolean {
  try {
    sealer.open(sealed, belongsTo);
    return true;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

/** Findings about the journal, and the facts that the running gateways reported through the journal. */
interface JournalCheck {
  findings: Finding[];
  gateways?: GatewayFacts | undefined;
}

async function checkJournal(settings: Settings): Promise<JournalCheck> {
  const supervised = settings.natsUrl === '';
  const findings = supervised ? checkProgram() : [];
  const server = serviceJournal(settings);
  const servers = server ? await serversOf(server) : [];
  if (server && servers.length > 1)
    findings.push(...describeServers(await askServers(server, 'cli'), isOneOfSeveral(settings)));
  if (!server || !servers.some(({ answers }) => answers)) {
    const external =
      servers.length > 1 ? 'no server of TIDINGS_NATS_URL answers' : 'the server of TIDINGS_NATS_URL does not answer';
    const text = supervised ? 'service is not running' : external;
    return { findings: [...findings, { verdict: supervised ? 'note' : 'fault', text }] };
  }
  const fault = await connectionFault(server, 'cli');
  if (fault) return { findings: [...findings, { verdict: 'fault', text: `journal: ${fault.message}` }] };
  const checked = await checkServer(settings, server, supervised);
  return { ...checked, findings: [...findings, ...checked.findings] };
}

function checkProgram(): Finding[] {
  const program = findNatsServer();
  if (!program) return [{ verdict: 'fault', text: 'nats-server is missing: run npm run setup' }];
  const version = natsServerVersion(program);
  const level = durabilityOf([version], true, 1);
  return [
    { verdict: 'ok', text: `nats-server ${version} at ${program}` },
    {
      verdict: level === 'power-loss' ? 'ok' : 'note',
      text: `durability level: ${level}${level === 'power-loss' ? ' (an acknowledged delivery is on disk)' : '. The level power-loss needs nats-server 2.10.23 or later'}`,
    },
  ];
}

/**
 * Checks that a connection to the journal reveals no secret to another program that listens on the port of nats-server.
 * The connection must use TLS, and the client must authenticate by a signature or a certificate.
 */
function checkProtection(server: NatsSettings): Finding {
  const { natsUrl, natsCredentials, natsTlsCert } = server;
  const tls = tlsOptionsOf(server) ? 'TLS' : 'TLS not required';
  const proof =
    natsCredentials !== ''
      ? 'a signature'
      : natsTlsCert !== ''
        ? 'a client certificate'
        : natsAddressesOf(natsUrl).credentials
          ? 'a token or password'
          : 'no credentials';
  const text = `journal connection: ${tls}, ${proof}`;
  if (tls === 'TLS' && (natsCredentials !== '' || natsTlsCert !== '')) return { verdict: 'ok', text };
  return {
    verdict: 'note',
    text: `${text}: use a tls:// address, and TIDINGS_NATS_CREDENTIALS or a client certificate`,
  };
}

async function checkServer(settings: Settings, server: NatsSettings, supervised: boolean): Promise<JournalCheck> {
  const client = { role: 'cli', name: 'tidings doctor' } as const;
  const journal = await connectJournal(server, client, createLogger('cli', 'error'));
  try {
    const { version = '', max_payload = 0 } = journal.connection.info ?? {};
    const findings: Finding[] = [
      { verdict: 'ok', text: `${supervised ? 'service runs, ' : ''}journal on nats-server ${version}` },
      checkProtection(server),
    ];
    if (max_payload < neededPayloadBytes) {
      findings.push({
        verdict: 'fault',
        text: `max_payload is ${max_payload}: expected at least ${neededPayloadBytes}`,
      });
    }
    try {
      findings.push(...(await checkStreams(settings, journal, version)));
    } catch (error) {
      findings.push(describeMissing(error as Error, supervised));
    }
    return { findings, gateways: await askGateways(journal) };
  } finally {
    await journal.close();
  }
}

async function checkStreams(settings: Settings, journal: Journal, version: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  const streams: StreamState[] = [];
  for (const name of partitionNames(settings.partitions)) {
    const stream = await streamState(journal, name);
    const { firstSeq, lastSeq, bytes, maxBytes } = stream;
    streams.push(stream);
    const share = Math.round((bytes / maxBytes) * 100);
    const text = `stream of ${name}: sequences ${firstSeq}–${lastSeq}, ${(bytes / 1e6).toFixed(1)} MB, ${share} % of its limit`;
    findings.push({ verdict: share < 80 ? 'ok' : 'note', text });
  }
  if (settings.natsUrl !== '') findings.push(...describeDurability(await findDurability(settings, version, streams)));
  if (isOneOfSeveral(settings)) findings.push(...(await checkNode(settings, journal)));
  return findings;
}

/** Explains why the streams cannot be read. */
function describeMissing(error: Error, supervised: boolean): Finding {
  if (isMissing(error)) return { verdict: 'note', text: 'streams are missing: the next start creates them' };
  const advice = supervised ? '' : '. In a cluster, more than half of the servers must run';
  return {
    verdict: 'fault',
    text: `the NATS server does not answer requests about streams: ${error.message}${advice}`,
  };
}

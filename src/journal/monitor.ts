/**
 * Asks the monitoring ports of the operator's NATS servers how the servers store records. From the answers and from the
 * streams, determines which failures an acknowledged record survives (`docs/architecture.md` decision 8).
 */
import type { NatsSettings } from './credentials.ts';
import { atLeast, type DurabilityLevel, durabilityOf, firstReplicated, type StreamState } from './topology.ts';

/** The answer of a monitoring port: the server behind it, or the reason why there is no answer. */
export type MonitorAnswer =
  | { address: string; fault: string }
  | { address: string; name: string; version: string; syncs: boolean };

/** The durability level of a journal, the servers that were asked, and what keeps the level low. */
export interface Durability {
  level: DurabilityLevel;
  monitors: readonly MonitorAnswer[];
  /** One sentence per server that does not do what the level needs, or that no monitoring port was named for. */
  faults: readonly string[];
}

/** The settings that the level depends on. `natsMonitor` names the monitoring ports. */
export type MonitorSettings = Pick<NatsSettings, 'natsUrl'> & { natsMonitor: readonly string[] };

const timeoutMs = 2000;

/**
 * Determines the durability level of a journal. The configuration of the supervised server is known. Any other server is
 * asked at its monitoring port, if the settings name it.
 * @param version version of the server that this process is connected to
 * @param streams all streams of the journal
 */
export async function findDurability(
  settings: MonitorSettings,
  version: string,
  streams: readonly StreamState[],
): Promise<Durability> {
  const replicas = Math.min(...streams.map((stream) => stream.replicas));
  if (settings.natsUrl === '') return { level: durabilityOf([version], true, replicas), monitors: [], faults: [] };
  const monitors = await Promise.all(settings.natsMonitor.map(askMonitor));
  const faults = monitors.length === 0 ? [] : faultsOf(monitors, streams, replicas);
  const versions = [version, ...monitors.flatMap((answer) => ('version' in answer ? answer.version : []))];
  const sync = monitors.length > 0 && faults.length === 0;
  return { level: durabilityOf(versions, sync, replicas), monitors, faults };
}

/** Asks the server at the address of a monitoring port. */
async function askMonitor(address: string): Promise<MonitorAnswer> {
  try {
    const url = `${address.replace(/\/+$/, '')}/varz`;
    const reply = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' });
    if (reply.status !== 200) return { address, fault: `answers with HTTP status ${reply.status}` };
    return toAnswer(address, await reply.json());
  } catch (error) {
    return { address, fault: reasonOf(error as Error) };
  }
}

function toAnswer(address: string, varz: unknown): MonitorAnswer {
  const { server_name: name, version, jetstream } = (varz ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || typeof version !== 'string') {
    return { address, fault: 'answers, but not as the monitoring port of a nats-server' };
  }
  const { config } = (jetstream ?? {}) as { config?: { sync_always?: unknown } };
  return { address, name, version, syncs: config?.sync_always === true };
}

function reasonOf(error: Error): string {
  if (error.name === 'TimeoutError') return `does not answer within ${timeoutMs / 1000} seconds`;
  if (error instanceof SyntaxError) return 'answers, but not as the monitoring port of a nats-server';
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return `does not answer: ${code ?? message}`;
}

/** Returns why the servers do not make the level that the replicas allow, one sentence per server. */
function faultsOf(monitors: readonly MonitorAnswer[], streams: readonly StreamState[], replicas: number): string[] {
  const faults = monitors.flatMap((answer) => faultOf(answer, replicas));
  const named = new Set(monitors.map((answer) => ('name' in answer ? answer.name : '')));
  const silent = monitors.filter((answer) => 'fault' in answer).length;
  const unnamed = new Set(streams.flatMap(({ servers }) => servers).filter((name) => !named.has(name)));
  // A server that does not answer is probably one of the servers that seem to be unnamed, and is reported already.
  if (unnamed.size <= silent) return faults;
  const verb = unnamed.size === 1 ? 'stores' : 'store';
  return [...faults, `TIDINGS_NATS_MONITOR does not name ${[...unnamed].sort().join(', ')}, which ${verb} streams`];
}

function faultOf(answer: MonitorAnswer, replicas: number): string[] {
  if ('fault' in answer) return [`the NATS server at ${answer.address} ${answer.fault}`];
  const { address, name, version, syncs } = answer;
  const server = `the NATS server ${name} at ${address}`;
  if (!syncs) {
    return [`${server} does not call fsync before it acknowledges. Set sync_interval: always in its jetstream block`];
  }
  if (replicas < 3 || atLeast(version, firstReplicated)) return [];
  return [`${server} has version ${version}: expected ${firstReplicated.join('.')} or later for a cluster`];
}

/**
 * Starts the programs that receive webhooks and are compared: the service, the peer and the floor.
 */
import { randomBytes } from 'node:crypto';
import { answerFaults, type Run, toSubject } from './figures.ts';
import { foldFaults, waitUntilFolded } from './folded.ts';
import { type Load, type Mixture, startLoad } from './load.ts';
import { startWebhookFloor, startWebhookPeer, type WebhookPeer } from './peers.ts';
import type { Target, TargetRuns } from './rounds.ts';
import type { BenchContext, Measured, Subject } from './scenario.ts';
import { type BenchService, serviceDurability, startBenchService } from './service.ts';

/** The receivers, ready to be loaded. */
export interface Receivers {
  service: BenchService;
  /** Makes the service a target for a load whose ids begin with `run`. */
  tidings(run: string): Target;
  peer: WebhookPeer | undefined;
  floor: Target;
  /** One line if the peer is missing. */
  notes: string[];
}

export async function startReceivers(context: BenchContext): Promise<Receivers> {
  const service = await startBenchService(context, 'https://github.com');
  const peer = await startWebhookPeer(context, service.secret);
  const floor = await startWebhookFloor(context, service.secret);
  const missing = 'missing' in peer;
  return {
    service,
    tidings: (run) => serviceTarget(service, run),
    peer: missing ? undefined : peer,
    floor,
    notes: missing ? [`There is no peer: ${peer.missing}.`] : [],
  };
}

/** Makes the service a target. A run ends when all deliveries of the load are folded. */
export function serviceTarget(service: BenchService, run: string): Target {
  return {
    name: 'tidings',
    durability: serviceDurability,
    url: service.url,
    pids: service.pids,
    settle: ({ acknowledged }) => waitUntilFolded(service, run, acknowledged),
  };
}

/** A load program that sends deliveries. `run` begins the id of each of them. */
export interface DeliveryLoad {
  load: Load;
  run: string;
}

/**
 * @param repeats whether bodies repeat under new delivery ids
 * @param repositories number of repositories that the deliveries are spread over
 */
export async function startDeliveries(
  context: BenchContext,
  secret: string,
  { repeats, mixture, repositories }: { repeats: boolean; mixture?: Mixture; repositories?: number },
): Promise<DeliveryLoad> {
  const run = randomBytes(4).toString('hex');
  const more = { ...(mixture && { mixture }), ...(repositories !== undefined && { repositories }) };
  const load = await startLoad({ kind: 'deliveries', secret, run, repeats, ...more });
  context.defer(load.stop);
  return { load, run };
}

/** Returns the subjects of runs, in the order of their targets. */
export function subjectsOf(results: readonly TargetRuns[], hasRate: boolean): Subject[] {
  return results.map(({ target: { name, durability }, runs }) => toSubject({ name, durability, hasRate }, runs));
}

/** Returns the subject with this name, or undefined if it is missing. */
export function subjectNamed(subjects: readonly Subject[], name: string): Subject | undefined {
  return subjects.find((subject) => subject.name === name);
}

/**
 * Checks all replies of a load, and that service and peer have stored every acknowledged delivery exactly once.
 * @param storedBefore number of deliveries that the peer had stored before this load
 */
export async function checkReplies(
  { service, peer }: Pick<Receivers, 'service' | 'peer'>,
  results: readonly TargetRuns[],
  run: string,
  storedBefore: number,
): Promise<Pick<Measured, 'faults' | 'notes'>> {
  const runsOf = (name: string) => results.filter(({ target }) => target.name === name).flatMap(({ all }) => all);
  const { faults, checked } = await foldFaults(service, [{ run, acknowledged: acknowledgedIn(runsOf('tidings')) }]);
  const peerFaults: string[] = [];
  if (peer) {
    const acknowledged = acknowledgedIn(runsOf('peer')).length;
    const stored = (await peer.stored()) - storedBefore;
    if (stored !== acknowledged) peerFaults.push(`peer: ${acknowledged} replies with 202, ${stored} deliveries stored`);
  }
  return {
    faults: [...results.flatMap(({ target, all }) => answerFaults(target.name, all, 202)), ...faults, ...peerFaults],
    notes: [`${checked} deliveries with a 202 reply were looked up in the partitions, including those of the warm-up.`],
  };
}

/** Returns the numbers of all deliveries of runs that got a 202 reply. */
export function acknowledgedIn(runs: readonly Run[]): number[] {
  return runs.flatMap(({ acknowledged }) => [...acknowledged]);
}

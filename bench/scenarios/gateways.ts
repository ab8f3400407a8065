/**
 * gateways: measures the processor time per signed delivery with one, two and four gateways on one port. The limits are
 * so high that they are never reached, but each delivery is counted towards them. With several gateways, one of them
 * counts for each organization.
 */
import { deliveryBytes } from '../deliveries.ts';
import { answerFaults, cpuOf, othersShare, ratio } from '../figures.ts';
import { foldFaults } from '../folded.ts';
import { acknowledgedIn, serviceTarget, startDeliveries, subjectsOf } from '../receivers.ts';
import { runRounds, sendWith } from '../rounds.ts';
import type { BenchContext, Measured, Scenario, Subject } from '../scenario.ts';
import { startBenchService } from '../service.ts';

const counts = [1, 2, 4] as const;
const connections = 256;
/** A limit that counts each delivery, and that no load reaches. */
const high = String(1e9);
const countedLimits = { TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE: high, TIDINGS_LIMIT_WEBHOOKS_PER_HOUR: high };

export const gateways: Scenario = {
  name: 'gateways',
  question: 'How much processor time does a signed delivery cost with one, two and four gateways?',
  run: async (context) => [await measure(context)],
};

async function measure(context: BenchContext): Promise<Measured> {
  const services = [];
  for (const count of counts) {
    const env = { TIDINGS_GATEWAYS: String(count), ...countedLimits };
    services.push({ count, service: await startBenchService(context, 'https://github.com', { env }) });
  }
  const [first] = services as [(typeof services)[number]];
  const { load, run } = await startDeliveries(context, first.service.secret, { repeats: true });
  const targets = services.map(({ count, service }) => ({ ...serviceTarget(service, run), name: nameOf(count) }));
  const results = await runRounds('gateways', targets, sendWith(load, { connections }), context, load.pid);
  await load.stop();
  const faults = results.flatMap(({ target, all }) => answerFaults(target.name, all, 202));
  let checked = 0;
  let alone = 0;
  for (const [i, { service }] of services.entries()) {
    const acknowledged = acknowledgedIn(results[i]?.all ?? []);
    const found = await foldFaults(service, [{ run, acknowledged }]);
    faults.push(...found.faults);
    checked += found.checked;
    alone += (await service.metrics()).sum('tidings_limits_local_total');
  }
  const subjects = subjectsOf(results, true).map(withGatewaysTogether);
  const [one] = subjects as [Subject];
  return {
    load: `${connections} connections, repeating bodies, ${(deliveryBytes() / 1000).toFixed(1)} KB each, limits that are counted and not reached`,
    connections,
    subjects,
    figures: subjects
      .slice(1)
      .flatMap((each) => [
        ratio(`processor time per delivery with ${each.name}, of one`, cpuOf(each) / cpuOf(one)),
        ratio(`processor time of the gateways with ${each.name}, of one`, gatewayTime(each) / gatewayTime(one)),
        ratio(`rate with ${each.name}, of one`, (each.perSecond?.median ?? 0) / (one.perSecond?.median ?? 1)),
      ]),
    othersShare: othersShare(results.flatMap(({ runs }) => runs)),
    faults,
    notes: [
      `${checked} deliveries with a 202 reply were looked up in the partitions, including those of the warm-up.`,
      `${alone} deliveries were counted by a gateway alone, because the home of their organization did not answer in time.`,
    ],
  };
}

function nameOf(count: number): string {
  return count === 1 ? '1 gateway' : `${count} gateways`;
}

function gatewayTime({ cpu }: Subject): number {
  return cpu.gateway ?? 0;
}

/** Adds up the processor times of all gateways of a service. */
function withGatewaysTogether(subject: Subject): Subject {
  const cpu: Record<string, number> = {};
  for (const [name, time] of Object.entries(subject.cpu)) {
    const process = name.startsWith('gateway') ? 'gateway' : name;
    cpu[process] = (cpu[process] ?? 0) + time;
  }
  return { ...subject, cpu };
}

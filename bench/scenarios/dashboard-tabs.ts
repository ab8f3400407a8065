/**
 * dashboard-tabs: measures what ten open tabs of the dashboard cost the receiver of webhooks. The deliveries are the same
 * with and without the tabs, in alternating rounds on one service. A tab is simulated by its requests: its stream of
 * events, and what the inbox reads again after events (`dashboard/state/live.ts`).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { answerFaults, cpuOf, othersShare, ratio } from '../figures.ts';
import { foldFaults } from '../folded.ts';
import { memoryOf } from '../memory.ts';
import { acknowledgedIn, serviceTarget, startDeliveries, subjectsOf } from '../receivers.ts';
import { runRounds, type Sender, type Target } from '../rounds.ts';
import { call } from '../sample-draft.ts';
import type { Scenario } from '../scenario.ts';
import { type BenchService, startBenchService } from '../service.ts';

const [tabs, connections] = [10, 64];
/** Pauses of the dashboard between an event and the reading, and between two readings, in milliseconds. */
const [gatherMs, pauseMs] = [200, 2_000];
/** The inbox reads the failed publications of so many repositories, but only with each sixth change. */
const [askedRepositories, failedEvery] = [10, 6];
const rateLine = { atLeast: 0.97 } as const;
const memoryLine = { atMost: 30 } as const;

export const dashboardTabs: Scenario = {
  name: 'dashboard-tabs',
  question: 'What do ten open tabs of the dashboard cost the receiver of webhooks?',
  run: async (context) => {
    const service = await startBenchService(context, 'https://github.com');
    const { load, run } = await startDeliveries(context, service.secret, { repeats: true });
    const keys = await Promise.all(Array.from({ length: tabs }, (_, nth) => makeKey(service, nth)));
    const plain: Target = serviceTarget(service, run);
    const watched: Target = { ...plain, name: 'tidings with ten tabs' };
    /** Memory of the gateway without files after each run, in MB. */
    const memory = { plain: 0, watched: 0 };
    let reads = 0;
    const send: Sender = async (target, seconds) => {
      const open = target === watched ? keys.map((key) => new Tab(service.url, key)) : [];
      const sent = await load.run({ url: service.url, connections, seconds });
      const kind = target === watched ? 'watched' : 'plain';
      memory[kind] = Math.max(memory[kind], memoryOf(service.pids).gateway?.own ?? 0);
      for (const tab of open) reads += await tab.close();
      return sent;
    };
    const results = await runRounds('dashboard-tabs', [plain, watched], send, context, load.pid);
    await load.stop();
    const all = results.flatMap((result) => result.all);
    const { faults } = await foldFaults(service, [{ run, acknowledged: acknowledgedIn(all) }]);
    const subjects = subjectsOf(results, true);
    const [without, withTabs] = subjects as [(typeof subjects)[number], (typeof subjects)[number]];
    return [
      {
        load: `deliveries with and without ${tabs} tabs`,
        connections,
        subjects,
        figures: [
          ratio('rate of deliveries with tabs, of the rate without', rateOf(withTabs) / rateOf(without), {
            line: rateLine,
          }),
          ratio('processor time per delivery with tabs, of that without', cpuOf(withTabs) / cpuOf(without)),
          {
            name: 'memory of the gateway with tabs, above that without',
            value: memory.watched - memory.plain,
            unit: 'MB',
            line: memoryLine,
          },
        ],
        othersShare: othersShare(results.flatMap(({ runs }) => runs)),
        faults: [...answerFaults('tidings', all, 202), ...faults],
        notes: [`The tabs sent ${reads} reads.`],
      },
    ];
  },
};

function rateOf({ perSecond }: { perSecond: { median: number } | null }): number {
  return perSecond?.median ?? Number.NaN;
}

/** Makes a key for one tab, because a key may open only a few streams. */
async function makeKey(service: BenchService, nth: number): Promise<string> {
  const made = await call<{ key: string }>(service, 'POST', '/api/keys', { name: `tab ${nth}`, instance: true });
  return made.key;
}

/** Sends the requests that an open inbox sends. */
class Tab {
  private readonly url: string;
  private readonly headers: Record<string, string>;
  private readonly stream = new AbortController();
  private readonly working: Promise<void>[];
  private hasEvent = true;
  private reads = 0;

  constructor(url: string, key: string) {
    this.url = url;
    this.headers = { authorization: `Bearer ${key}` };
    this.working = [this.listen(), this.follow()];
  }

  /** Closes the tab. Returns the number of requests that it has sent. */
  async close(): Promise<number> {
    this.stream.abort();
    await Promise.all(this.working);
    return this.reads;
  }

  private async listen(): Promise<void> {
    const { signal } = this.stream;
    const reply = await fetch(`${this.url}/api/events`, { headers: this.headers, signal }).catch(() => undefined);
    if (reply?.status !== 200 && !signal.aborted) throw new Error(`The stream of events returned ${reply?.status}`);
    try {
      for await (const _ of reply?.body ?? []) this.hasEvent = true;
    } catch {
      // The tab was closed.
    }
  }

  /** Reads again after events, as the dashboard does. */
  private async follow(): Promise<void> {
    for (let change = 0; !this.stream.signal.aborted; ) {
      await pause(gatherMs);
      if (!this.hasEvent) continue;
      this.hasEvent = false;
      await this.readAll(change);
      change += 1;
      for (let waited = 0; waited < pauseMs && !this.stream.signal.aborted; waited += gatherMs) await pause(gatherMs);
    }
  }

  private async readAll(change: number): Promise<void> {
    const list = '/api/repos?sort=name&order=asc&limit=100&offset=0';
    const [repositories] = await Promise.all([
      this.read<{ repos: { id: string }[] }>(list),
      this.read(`${list}&include=unreleased`),
      this.read('/api/drafts?outdated=true&limit=20'),
      this.read('/api/deliveries?outcome=refused&limit=5'),
    ]);
    if (change % failedEvery !== 0) return;
    const asked = repositories.repos.slice(0, askedRepositories);
    await Promise.all(asked.map(({ id }) => this.read(`/api/publications?repoId=${id}&status=failed&limit=5`)));
  }

  private async read<T>(path: string): Promise<T> {
    this.reads += 1;
    const reply = await fetch(this.url + path, { headers: this.headers });
    if (reply.status !== 200) throw new Error(`GET ${path} returned ${reply.status}`);
    return reply.json() as Promise<T>;
  }
}

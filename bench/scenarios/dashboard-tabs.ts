/**
 * dashboard-tabs: measures what ten open tabs of the dashboard cost the receiver of webhooks. The deliveries are the same
 * with and without the tabs, in alternating rounds on one service. A tab is simulated by its requests: its stream of
 * events, and what the inbox reads again after events, at the pace of the dashboard.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Pace } from '../../dashboard/state/pace.ts';
import { GrowingWait } from '../../dashboard/state/waits.ts';
import { answerFaults, cpuOf, othersShare, ratio } from '../figures.ts';
import { foldFaults } from '../folded.ts';
import { memoryOf } from '../memory.ts';
import { acknowledgedIn, serviceTarget, startDeliveries, subjectsOf } from '../receivers.ts';
import { runRounds, type Sender, type Target } from '../rounds.ts';
import { call } from '../sample-draft.ts';
import type { Scenario } from '../scenario.ts';
import { type BenchService, startBenchService } from '../service.ts';

const [tabs, connections] = [10, 64];
const everything = ['repo.event', 'repository', 'draft.status', 'publication.status', 'delivery.refused'];
const [repositories, drafts] = [
  '/api/repos?sort=name&order=asc&limit=100&offset=0',
  '/api/drafts?view=summary&limit=20',
];
const counted = `${repositories}&include=unreleased`;
/** What the open inbox reads again, and after which events. */
const parts: readonly { path: string; events: readonly string[] }[] = [
  { path: repositories, events: ['repository'] },
  { path: counted, events: ['repo.event'] },
  {
    path: `${drafts}&status=ready&published=false&outdated=false`,
    events: ['draft.status', 'publication.status', 'repository'],
  },
  { path: '/api/publications?status=failed&limit=20', events: ['publication.status', 'repository'] },
  { path: `${drafts}&outdated=true`, events: ['draft.status', 'repository'] },
  { path: '/api/deliveries?outcome=refused&limit=5', events: ['delivery.refused'] },
];
/** Time between the opening of the tabs and the deliveries, so that the tabs are like tabs that have been open long. */
const settleMs = 1_000;
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
      await Promise.all(open.map((tab) => tab.open()));
      await pause(settleMs);
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

/** Sends the requests that an open inbox sends (`dashboard/screens/inbox.tsx`, `dashboard/shell/shell.tsx`). */
class Tab {
  private readonly url: string;
  private readonly headers: Record<string, string>;
  private readonly stream = new AbortController();
  private readonly paces = new Map<string, Pace>();
  private readonly working = new Set<Promise<unknown>>();
  private counting: NodeJS.Timeout | undefined;
  private readonly wait = new GrowingWait();
  private reads = 0;

  constructor(url: string, key: string) {
    this.url = url;
    this.headers = { authorization: `Bearer ${key}` };
  }

  /** Opens the tab. Resolves when its stream is open and its screen is complete. */
  async open(): Promise<void> {
    const reply = await fetch(`${this.url}/api/events`, { headers: this.headers, signal: this.stream.signal });
    if (reply.status !== 200) throw new Error(`The stream of events returned ${reply.status}`);
    this.working.add(this.listen(reply));
    await this.readAfter(new Set(everything));
  }

  /** Closes the tab. Returns the number of requests that it has sent. */
  async close(): Promise<number> {
    for (const pace of this.paces.values()) pace.stop();
    clearTimeout(this.counting);
    this.stream.abort();
    await Promise.all(this.working);
    return this.reads;
  }

  private async listen(reply: Response): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const piece of reply.body ?? []) {
        const events = (text + decoder.decode(piece, { stream: true })).split('\n\n');
        text = events.pop() ?? '';
        for (const each of events) this.note(each);
      }
    } catch {
      // The tab was closed.
    }
  }

  private note(text: string): void {
    const [, name, data] = /^event: (\S+)\ndata: (.*)$/m.exec(text) ?? [];
    if (name === undefined || data === undefined) return;
    const pace = this.paces.get(name) ?? new Pace((keys) => void this.working.add(this.readAfter(keys)));
    this.paces.set(name, pace);
    const { event } = JSON.parse(data) as { event?: string };
    const isOfItself = name === 'repo.event' && (event === undefined || event === 'repository');
    pace.note(name === 'reset' ? everything : isOfItself ? [name, 'repository'] : [name]);
  }

  private async readAfter(topics: ReadonlySet<string>): Promise<void> {
    const concerned = parts.filter(({ events }) => events.some((each) => topics.has(each)));
    await Promise.all(concerned.map(({ path }) => (path === counted ? this.readCounts() : this.read(path))));
  }

  /** Reads the counts, and again after a while if the service still counts. */
  private async readCounts(): Promise<void> {
    clearTimeout(this.counting);
    const { repos } = (await this.read(counted)) as { repos: { unreleased: { outdated?: true } | null }[] };
    const isCounting = repos.some(({ unreleased }) => unreleased === null || unreleased.outdated);
    if (!isCounting) this.wait.reset();
    else if (!this.stream.signal.aborted) {
      this.counting = setTimeout(() => this.working.add(this.readCounts()), this.wait.next());
    }
  }

  private async read(path: string): Promise<unknown> {
    this.reads += 1;
    const reply = await fetch(this.url + path, { headers: this.headers });
    if (reply.status !== 200) throw new Error(`GET ${path} returned ${reply.status}`);
    return reply.json();
  }
}

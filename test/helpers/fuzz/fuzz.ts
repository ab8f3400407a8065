/**
 * Fuzzes the API of a service with two organisations. While one of them asks, nothing of the other may change; a
 * change is reported with the requests that can have made it.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { seeded } from '../random.ts';
import { blame, type Sent } from './blame.ts';
import { described, faultIn, isWait } from './judge.ts';
import { knownWrites } from './known-writes.ts';
import { type FuzzRequest, RequestMaker, writes } from './requests.ts';
import { type FuzzReply, Sender } from './send.ts';
import { type Stage, setStage } from './stage.ts';
import { Tally } from './tally.ts';
import { differences, Rows, viewOf } from './walls.ts';
import { type Caller, idsIn, type Org, otherThan } from './world.ts';

/** How a fuzz is run. */
export interface FuzzOptions {
  requests: number;
  seed: number;
  /** Called for each request that was answered. */
  advance?: () => void;
  /** Called before each comparison of the other organisation's rows; a test plants a breach here. */
  breach?: (stage: Stage) => Promise<void>;
}

/** How much of the service's log a failure shows, in characters. */
const longestLog = 4000;
const inFlight = 50;
/** One request in so many may be put off by a machine that is too busy, beside those of one moment. */
const waitsOnceIn = 50;
/** Requests between two comparisons. */
const windowSize = 200;
/** How often each id of each write is one of the other organisation's, at least. */
const trespassRounds = 5;
/** How many keys that requests made are used themselves, for each organisation. */
const mostMade = 4;
/** Entries for each kind of caller; one of them is drawn for each request. */
const weights: Readonly<Record<Caller['kind'], number>> = {
  main: 80,
  made: 2,
  reader: 2,
  test: 3,
  useless: 1,
  instance: 80,
};
/** Shares of the requests, in the order of the parts. */
const shares = { first: 0.375, beside: 0.05, second: 0.375, all: 0.2 };

/**
 * Sends made requests to a service until the number is reached.
 * @throws Error for the first fault, with its request and the seed
 */
export async function fuzzApi(t: TestContext, options: FuzzOptions): Promise<Tally> {
  const stage = await setStage(t);
  const fuzz = new Fuzz(stage, options);
  try {
    await fuzz.run();
  } catch (error) {
    const { message } = error as Error;
    const logged = stage.service.log.slice(-longestLog);
    const told = `${message}\nthe service has logged:\n${logged}`;
    throw new Error(`seed ${options.seed}, after ${fuzz.tally.sent} writes: ${told}`, { cause: error });
  } finally {
    await fuzz.close();
  }
  return fuzz.tally;
}

class Fuzz {
  readonly tally = new Tally(writes);
  private readonly stage: Stage;
  private readonly options: FuzzOptions;
  private readonly maker: RequestMaker;
  private readonly sender: Sender;
  private readonly rows: Rows;
  private waits = 0;
  /** Publications that wait for another attempt, and whose they are: later ones would wait behind them. */
  private readonly waiting = new Map<string, Org>();

  constructor(stage: Stage, options: FuzzOptions) {
    this.stage = stage;
    this.options = options;
    this.maker = new RequestMaker(seeded(options.seed), stage.world);
    this.sender = new Sender(stage.service.url);
    this.rows = new Rows(stage);
  }

  async run(): Promise<void> {
    const { requests } = this.options;
    const of = (share: number) => Math.ceil((requests * share) / windowSize);
    await this.alone('acme', of(shares.first));
    await this.beside('acme', of(shares.beside));
    await this.quieten('acme');
    await this.alone('umbrella', of(shares.second));
    for (let left = of(shares.all); left > 0; left--)
      await this.window(() => this.callers('acme', 'umbrella', 'instance'), true);
    await this.assertSound();
  }

  async close(): Promise<void> {
    this.sender.close();
    await this.rows.close();
  }

  /** One organisation asks, and the other one rests. */
  private async alone(org: Org, windows: number): Promise<void> {
    const quiet = otherThan(org);
    const shown = await viewOf(this.stage, quiet);
    let before = await this.rows.atRest(quiet);
    for (let left = windows; left > 0; left--) {
      const sent = left === windows ? await this.trespass(org) : await this.window(() => this.callers(org));
      await this.options.breach?.(this.stage);
      const after = await this.rows.of(quiet);
      const found = differences(before, after);
      if (found.length > 0) throw await blame(found, sent, () => this.rows.of(quiet), this.sender);
      before = after;
    }
    const found = differences(shown, await viewOf(this.stage, quiet));
    assert.deepEqual(found, [], `${quiet} is shown other things than before`);
  }

  /** One organisation asks while the other one writes what is known: that and nothing else has changed afterwards. */
  private async beside(org: Org, windows: number): Promise<void> {
    const busy = otherThan(org);
    let before = await viewOf(this.stage, busy);
    for (let left = windows; left > 0; left--) {
      const known = knownWrites(this.stage, busy);
      await this.window(() => this.callers(org));
      const written = await known.stop();
      const after = await viewOf(this.stage, busy);
      const found = differences(before, after);
      before = after;
      const unknown = found.filter(({ thing, ids }) => !ids.some((id) => written.has(id)) && idsIn(thing).length > 0);
      assert.deepEqual(unknown, [], `${busy} is shown changes that it has not made`);
    }
  }

  /**
   * Requests of some callers, many at a time; all that were sent.
   * @param seeks operations that never succeeded are asked more often
   */
  private async window(callers: () => Caller[], seeks = false): Promise<Sent[]> {
    const sent: Sent[] = [];
    let made = 0;
    this.sender.renew();
    const lane = async (): Promise<void> => {
      while (made++ < windowSize) {
        const request = this.maker.next(callers(), seeks ? this.tally.never : []);
        sent.push(await this.exchange(request));
      }
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
    await this.tidy();
    return sent;
  }

  /** Valid requests for each thing of the other organisation; all that were sent. */
  private async trespass(org: Org): Promise<Sent[]> {
    const main = this.callers(org).find(({ kind }) => kind === 'main') as Caller;
    const sent: Sent[] = [];
    for (let round = 0; round < trespassRounds; round++) {
      const requests = this.maker.trespasses(main, otherThan(org));
      sent.push(...(await Promise.all(requests.map((request) => this.exchange(request)))));
    }
    return sent;
  }

  private async exchange(request: FuzzRequest): Promise<Sent> {
    const reply = await this.sender.send(request).catch((error: Error) => {
      throw new Error(`${error.message}\n  sent: ${described(request)}`);
    });
    const fault = faultIn(this.stage.world, request, reply);
    const shown = `${reply.status} ${reply.text.slice(0, 1500)}`;
    if (fault !== undefined) throw new Error(`${fault}\n  sent: ${described(request)}\n  got: ${shown}`);
    const isTest = reply.headers.get('x-test-mode') !== null;
    this.tally.count(request.operation, reply.status, isTest);
    if (reply.status < 300 && !isTest) this.learn(request, reply);
    if (reply.status === 401 && request.caller.name.startsWith('made')) this.forget(request.caller);
    if (isWait(reply)) this.waits += 1;
    assert.ok(this.waits <= inFlight + this.tally.sent / waitsOnceIn, `${this.waits} requests were put off`);
    this.options.advance?.();
    return { request, status: reply.status };
  }

  private learn({ caller, operation, path }: FuzzRequest, { headers, text }: FuzzReply): void {
    const { world } = this.stage;
    const etag = headers.get('etag');
    if (etag !== null) world.etags.set(path, etag);
    if (world.etags.size > 2000) world.etags.clear();
    const last = path.split('/').at(-1) as string;
    if (operation.method === 'DELETE' && idsIn(last).length === 1) return world.remove(last);
    if (operation.path === '/api/openapi.json' || caller.kind === 'useless') return;
    const body = JSON.parse(text);
    world.learn(body, caller.org);
    const owner = caller.org ?? world.ownerOf(body.id);
    if (owner === undefined) return;
    if (typeof body.key === 'string' && body.orgId) this.employ(body.key, owner);
    if (body.id?.startsWith('pub_') && ['pending', 'processing'].includes(body.status))
      this.waiting.set(body.id, owner);
  }

  /** A key that a request made is used by later ones, until newer keys take its place. */
  private employ(key: string, org: Org): void {
    const { callers } = this.stage.world;
    const name = `made of ${org}`;
    const made = callers.filter((caller) => caller.name === name);
    if (made.length >= mostMade) this.forget(made[0] as Caller);
    callers.push({ name, org, key, kind: key.startsWith('rn_test_') ? 'test' : 'made' });
  }

  private forget(caller: Caller): void {
    const { callers } = this.stage.world;
    if (callers.includes(caller)) callers.splice(callers.indexOf(caller), 1);
  }

  private callers(...names: readonly (Org | 'instance')[]): Caller[] {
    const isWanted = ({ org, kind }: Caller) => kind === 'useless' || names.includes(org ?? 'instance');
    return this.stage.world.callers
      .filter(isWanted)
      .flatMap((caller) => Array<Caller>(weights[caller.kind]).fill(caller));
  }

  /** One request of an organisation's own that is not judged. */
  private ask(org: Org, method: string, path: string, body?: unknown): ReturnType<Stage['service']['api']> {
    const { service, world } = this.stage;
    const main = world.callers.find((caller) => caller.org === org && caller.kind === 'main');
    return service.api(method, path, body, main?.key);
  }

  /** Takes away what would keep later requests from their handlers. */
  private async tidy(): Promise<void> {
    for (const [id, org] of this.waiting) {
      const { status } = await this.ask(org, 'DELETE', `/api/publications/${id}`);
      if (status === 409) continue;
      this.waiting.delete(id);
      this.stage.world.remove(id);
    }
  }

  /** Ends whatever goes on for an organisation, so that its rows come to rest. */
  private async quieten(org: Org): Promise<void> {
    const { repoIdOf } = this.stage;
    const { body } = await this.ask(org, 'GET', '/api/webhook-endpoints?limit=100');
    for (const { id } of body.webhookEndpoints)
      await this.ask(org, 'PATCH', `/api/webhook-endpoints/${id}`, { enabled: false });
    await this.ask(org, 'DELETE', `/api/repos/${repoIdOf[org]}/backfill`);
    for (const status of ['pending', 'processing']) {
      const path = `/api/publications?repoId=${repoIdOf[org]}&status=${status}&limit=100`;
      for (const { id } of (await this.ask(org, 'GET', path)).body.publications)
        await this.ask(org, 'DELETE', `/api/publications/${id}`);
    }
  }

  private async assertSound(): Promise<void> {
    const { service } = this.stage;
    assert.equal(await service.metric('tidings_child_restarts_total'), 0, service.log);
    assert.equal(await service.metric('tidings_fold_dead_letters_total'), 0, service.log);
    const errors = service.log.split('\n').filter((line) => /"level":[56]0/.test(line));
    assert.deepEqual(errors, [], 'the service has logged errors');
  }
}

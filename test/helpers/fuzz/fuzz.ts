/**
 * Fuzzes the API of a service with two organizations. While one organization sends requests, nothing of the other
 * organization may change. A change is reported with the requests that may have caused it.
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

/** Options of a fuzz run. */
export interface FuzzOptions {
  requests: number;
  seed: number;
  /** Called after each reply. */
  advance?: () => void;
  /**
   * Called before each comparison of the idle organization's rows. A test uses this callback to make a forbidden
   * change.
   */
  breach?: (stage: Stage) => Promise<void>;
}

/** How much of the service's log a failure shows, in characters. */
const maxLogLength = 4000;
const inFlight = 50;
/**
 * A busy machine can reply with 500 and `Retry-After`. The maximum number of such replies in a run is `inFlight`, plus
 * one for every `waitsOnceIn` write requests.
 */
const waitsOnceIn = 50;
/** Number of requests between two comparisons. */
const windowSize = 200;
/**
 * Number of rounds of `trespass`. In each round, each id in each write operation is replaced at least once by an id of
 * the other organization.
 */
const trespassRounds = 5;
/** Maximum number of additional keys per organization. Fuzzed requests make these keys, and later requests use them. */
const maxMade = 4;
/** Weights of the kinds of callers; one caller is drawn for each request. */
const weights: Readonly<Record<Caller['kind'], number>> = {
  main: 80,
  made: 2,
  reader: 2,
  test: 3,
  useless: 1,
  instance: 80,
};
/** The share of all requests that each phase sends, in the order of the phases. */
const shares = { first: 0.375, concurrent: 0.05, second: 0.375, all: 0.2 };

/**
 * Sends the given number of generated requests to a service.
 * @throws Error for the first fault; the message contains the request and the seed
 */
export async function fuzzApi(t: TestContext, options: FuzzOptions): Promise<Tally> {
  const stage = await setStage(t);
  const fuzz = new Fuzz(stage, options);
  try {
    await fuzz.run();
  } catch (error) {
    const { message } = error as Error;
    const logged = stage.service.log.slice(-maxLogLength);
    const report = `${message}\nlog of the service:\n${logged}`;
    throw new Error(`seed ${options.seed}, after ${fuzz.tally.sent} writes: ${report}`, { cause: error });
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
  /**
   * The organization of each unfinished publication, by publication id. These publications must be deleted, because
   * later publications would have to wait for them.
   */
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
    await this.concurrent('acme', of(shares.concurrent));
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

  /**
   * Sends requests of one organization while the other organization is idle. Nothing of the idle organization may
   * change.
   */
  private async alone(org: Org, windows: number): Promise<void> {
    const quiet = otherThan(org);
    // Work of earlier requests can still change what is shown, and reading counts as use of the key.
    await this.rows.atRest(quiet);
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
    assert.deepEqual(found, [], `${quiet} sees different things than before`);
  }

  /**
   * Sends fuzzed requests of one organization while the other organization makes known writes. Only the known writes
   * may change the data of the other organization.
   */
  private async concurrent(org: Org, windows: number): Promise<void> {
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
      assert.deepEqual(unknown, [], `${busy} sees changes that it did not make`);
    }
  }

  /**
   * Sends one window of requests, many concurrently, and returns all requests that were sent.
   * @param seeks true to prefer operations without a successful request so far
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

  /**
   * Sends valid requests with the key of `org`. Each request names an object of the other organization. Returns all
   * requests that were sent.
   */
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

  /**
   * Lets later requests use a key that a fuzzed request has made. An organization has at most `maxMade` such keys; a
   * further key replaces the oldest one.
   */
  private employ(key: string, org: Org): void {
    const { callers } = this.stage.world;
    const name = `made of ${org}`;
    const made = callers.filter((caller) => caller.name === name);
    if (made.length >= maxMade) this.forget(made[0] as Caller);
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

  /** Sends one request with an organization's main key. The fuzz does not judge the reply. */
  private ask(org: Org, method: string, path: string, body?: unknown): ReturnType<Stage['service']['api']> {
    const { service, world } = this.stage;
    const main = world.callers.find((caller) => caller.org === org && caller.kind === 'main');
    return service.api(method, path, body, main?.key);
  }

  /** Deletes unfinished publications, because later publications would have to wait until these have ended. */
  private async tidy(): Promise<void> {
    for (const [id, org] of this.waiting) {
      const { status } = await this.ask(org, 'DELETE', `/api/publications/${id}`);
      if (status === 409) continue;
      this.waiting.delete(id);
      this.stage.world.remove(id);
    }
  }

  /** Ends all running work of an organization, so that its stored rows no longer change. */
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

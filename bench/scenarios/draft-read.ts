/**
 * draft-read: compares two rates of replies. One is the rate at which the service returns a draft. The other is the
 * rate of a bare server. The difference is the cost of authentication, limits and the store.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sampleHistory, sampleRepository } from '../../demo/history/index.ts';
import { sendDeliveries } from '../../src/cli/deliveries.ts';
import { createProgress } from '../../src/cli/progress.ts';
import { answerFaults, othersShare, ratioOf, toSide } from '../figures.ts';
import { type RequestSource, startLoad } from '../load.ts';
import { startProgram } from '../program.ts';
import { runPaired, type Target } from '../rounds.ts';
import type { BenchContext, ComparedScenario, Comparison } from '../scenario.ts';
import { allFolded, type BenchService, startBenchService } from '../service.ts';

const line = 0.7;
const connections = 64;
const persona = 'engineer';
const waitMs = 30_000;

export const draftRead: ComparedScenario = {
  name: 'draft-read',
  question: 'How many GETs of a real draft does the service answer per second, compared with a bare server?',
  floor: 'uWebSockets.js only, in its own process, sending the same bytes and content type',
  run: async (context) => {
    const service = await startBenchService(context, sampleRepository.hostOrigin);
    const path = await makeDraft(service);
    const response = await fetch(service.url + path, { headers: authorization(service) });
    if (response.status !== 200) throw new Error(`GET ${path} returned ${response.status}`);
    const body = Buffer.from(await response.arrayBuffer());
    const program = startProgram(new URL('../floors/bytes.js', import.meta.url));
    context.defer(program.stop);
    const { port } = await program.ask<{ port: number }>({ body });
    const floor = { url: `http://127.0.0.1:${port}`, pids: { floor: program.pid }, settle: async () => {} };
    return [await compare(context, service, floor, path, body)];
  },
};

async function compare(
  context: BenchContext,
  service: BenchService,
  floor: Target,
  path: string,
  body: Buffer,
): Promise<Comparison> {
  const source: RequestSource = { kind: 'get', path, headers: authorization(service), expectedBody: body };
  const load = await startLoad(source);
  context.defer(load.stop);
  const target = { url: service.url, pids: service.pids, settle: async () => {} };
  const label = `draft-read, ${connections} connections`;
  const paired = await runPaired({ label, connections, load, service: target, floor }, context);
  const sides = { service: toSide(paired.service), floor: toSide(paired.floor) };
  return {
    load: `GET, ${connections} connections, pipelining 1, reply of ${(body.length / 1000).toFixed(1)} KB`,
    connections,
    ...sides,
    ratio: ratioOf(sides.service, sides.floor),
    line,
    othersShare: othersShare(...paired.service, ...paired.floor),
    faults: [...answerFaults('service', paired.all, 200), ...answerFaults('floor', paired.floor, 200)],
    notes: [],
  };
}

/** Sends the sample history and generates a draft of `demoRange`, all over HTTP. Returns the draft's path. */
async function makeDraft(service: BenchService): Promise<string> {
  await playHistory(service);
  const repoId = await until('repository', async () => {
    const { repos } = await call<{ repos: { id: string }[] }>(service, 'GET', '/api/repos');
    return repos[0]?.id;
  });
  const range = { type: 'TAG_BASED', repoId, ...sampleRepository.demoRange };
  const { id: rangeId } = await call<{ id: string }>(service, 'POST', '/api/ranges', range);
  const ticket = await call<{ id: string }>(service, 'POST', `/api/drafts/${rangeId}/generate`, { persona });
  const path = `/api/drafts/${ticket.id}`;
  return until('draft', async () => {
    const { status } = await call<{ status: string }>(service, 'GET', path);
    return status === 'ready' ? path : undefined;
  });
}

async function until<T>(what: string, check: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + waitMs;
  while (performance.now() < deadline) {
    const found = await check();
    if (found !== undefined) return found;
    await pause(50);
  }
  throw new Error(`The ${what} was not available after ${waitMs / 1000} s`);
}

async function playHistory(service: BenchService): Promise<void> {
  const deliveries = sampleHistory();
  const progress = createProgress({ label: 'draft-read, history', total: deliveries.length, stream: process.stderr });
  const refused: number[] = [];
  const onAnswer = (status: number): void => {
    progress.advance();
    if (status < 200 || status > 299) refused.push(status);
  };
  await sendDeliveries(deliveries, { url: service.url, secret: service.secret, concurrency: 16, onAnswer });
  progress.done();
  if (refused.length > 0) throw new Error(`${refused.length} deliveries were refused (first status: ${refused[0]})`);
  await allFolded(service);
}

async function call<T>({ url, first }: BenchService, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${first.adminKey}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

function authorization({ first }: BenchService): Record<string, string> {
  return { Authorization: `Bearer ${first.adminKey}` };
}

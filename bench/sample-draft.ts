/**
 * Prepares a service whose drafts and lists are read: sends the sample history and creates drafts and ranges, all over
 * HTTP.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sampleHistory, sampleRepository } from '../demo/history/index.ts';
import { sendDeliveries } from '../src/cli/deliveries.ts';
import { createProgress } from '../src/cli/progress.ts';
import type { BenchContext } from './scenario.ts';
import { allFolded, type BenchService, startBenchService } from './service.ts';

const waitMs = 30_000;

/** Starts a service with the sample history. */
export async function startSampleService(context: BenchContext): Promise<BenchService> {
  const service = await startBenchService(context, sampleRepository.hostOrigin);
  const deliveries = sampleHistory();
  const progress = createProgress({ label: 'sample history', total: deliveries.length, stream: process.stderr });
  const refused: number[] = [];
  const onAnswer = (status: number): void => {
    progress.advance();
    if (status < 200 || status > 299) refused.push(status);
  };
  await sendDeliveries(deliveries, { url: service.url, secret: service.secret, concurrency: 16, onAnswer });
  progress.done();
  if (refused.length > 0) throw new Error(`${refused.length} deliveries were refused (first status: ${refused[0]})`);
  await allFolded(service);
  return service;
}

/** Creates a draft whose reply has about 5 KB. Returns its path. */
export async function makeDraft(service: BenchService): Promise<string> {
  const range = { type: 'TAG_BASED', repoId: await sampleRepoId(service), fromTag: 'v1.1.0', toTag: 'v1.2.0' };
  const { id: rangeId } = await call<{ id: string }>(service, 'POST', '/api/ranges', range);
  const draft = await call<{ id: string }>(service, 'POST', `/api/drafts/${rangeId}/generate`, { persona: 'internal' });
  const path = `/api/drafts/${draft.id}`;
  return until('draft', async () => {
    const { status } = await call<{ status: string }>(service, 'GET', path);
    return status === 'ready' ? path : undefined;
  });
}

/** Creates ranges of one day each. Returns the path of the list that contains all of them. */
export async function makeRanges(service: BenchService, count: number): Promise<string> {
  const repoId = await sampleRepoId(service);
  for (let day = 0; day < count; day += 1) {
    const date = new Date(Date.parse(sampleRepository.createdAt) + day * 86_400_000).toISOString().slice(0, 10);
    await call(service, 'POST', '/api/ranges', { type: 'DATE_BASED', repoId, fromDate: date, toDate: date });
  }
  return `/api/ranges?repoId=${repoId}&limit=${count}`;
}

/** Returns the headers of a request with the admin key. */
export function authorization({ first }: BenchService): Record<string, string> {
  return { Authorization: `Bearer ${first.adminKey}` };
}

async function sampleRepoId(service: BenchService): Promise<string> {
  return until('repository', async () => {
    const { repos } = await call<{ repos: { id: string }[] }>(service, 'GET', '/api/repos');
    return repos[0]?.id;
  });
}

/** Waits until `check` returns a value other than undefined, and returns that value. */
export async function until<T>(what: string, check: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + waitMs;
  while (performance.now() < deadline) {
    const found = await check();
    if (found !== undefined) return found;
    await pause(50);
  }
  throw new Error(`The ${what} was not available after ${waitMs / 1000} s`);
}

/** Sends a request with the admin key. Returns the reply. */
export async function call<T>(service: BenchService, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(service.url + path, {
    method,
    headers: { ...authorization(service), 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

/**
 * Compares the reading of one path of the service with a bare server that sends the same bytes.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { answerFaults, comparisonFigures, othersShare } from './figures.ts';
import { startLoad } from './load.ts';
import { findOnPath, startReadFloor } from './peers.ts';
import { subjectNamed, subjectsOf } from './receivers.ts';
import { runRounds, type Sender, sendWith, type Target, type TargetRuns } from './rounds.ts';
import { authorization } from './sample-draft.ts';
import type { BenchContext, Figure, Measured, Subject } from './scenario.ts';
import type { BenchService } from './service.ts';
import { runWrk } from './wrk.ts';

export const readConnections = 64;
/** Threads of the generator. On two cores it has one, because a second thread would take the core of the server. */
const threads = Math.min(2, Math.max(1, availableParallelism() - 1));
/** A read stores nothing, so its reply promises nothing about the disk. */
const noDurability = '–';

/** What is read, and the lines for it. */
export interface ReadQuestion {
  label: string;
  /** What is read, in words, for example `a draft`. */
  subject: string;
  path: string;
  cpu?: Partial<Figure>;
  rate?: Partial<Figure>;
}

/** Measures the reading of a path, with the service and the floor in turns. */
export async function compareReads(
  context: BenchContext,
  service: BenchService,
  { label, subject, path, cpu, rate }: ReadQuestion,
): Promise<Measured> {
  const body = await readBody(service, path);
  const floor = await startReadFloor(context, body);
  const bare = { ...floor, durability: noDurability };
  const tidings: Target = {
    ...bare,
    name: 'tidings',
    durability: noDurability,
    url: service.url,
    pids: service.pids,
  };
  const generator = await startGenerator(context, service, path, body);
  const results = await runRounds(label, [tidings, bare], generator.send, context, generator.pid);
  const subjects = subjectsOf(results, true);
  const ours = subjectNamed(subjects, 'tidings') as Subject;
  const kilobytes = (body.length / 1000).toFixed(1);
  return {
    load: `GET of ${subject} of ${kilobytes} KB, ${readConnections} connections, generator ${generator.name}`,
    connections: readConnections,
    subjects,
    figures: comparisonFigures(ours, subjectNamed(subjects, 'floor'), { request: 'read', cpu, rate }),
    othersShare: othersShare(results.flatMap(({ runs }) => runs)),
    faults: [
      ...results.flatMap(({ target, all }) => answerFaults(target.name, all, 200)),
      ...generator.faults(results),
      ...((await readBody(service, path)).equals(body) ? [] : ['the reply changed during the rounds']),
    ],
    notes: generator.notes,
  };
}

async function readBody(service: BenchService, path: string): Promise<Buffer> {
  const response = await fetch(service.url + path, { headers: authorization(service) });
  if (response.status !== 200) throw new Error(`GET ${path} returned ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

interface Generator {
  name: string;
  send: Sender;
  pid?: number;
  faults(results: readonly TargetRuns[]): string[];
  notes: string[];
}

/** Returns wrk as the generator if it is installed, else autocannon. */
async function startGenerator(
  context: BenchContext,
  service: BenchService,
  path: string,
  body: Buffer,
): Promise<Generator> {
  const headers = authorization(service);
  const wrk = findOnPath('wrk');
  if (wrk) return wrkGenerator(context, wrk, path, headers, body.length);
  const load = await startLoad({ kind: 'get', path, headers, expectedBody: body });
  context.defer(load.stop);
  return {
    name: 'autocannon',
    send: sendWith(load, { connections: readConnections }),
    pid: load.pid,
    faults: () => [],
    notes: ['wrk is not installed (Debian and Ubuntu: the package wrk), so the generator limits the rates.'],
  };
}

/**
 * wrk does not compare bodies. Instead, each reply must have the size of the first one, which was compared: wrk reports
 * the bytes of all replies, and the heads of all replies of a program have nearly the same size.
 */
function wrkGenerator(
  context: BenchContext,
  wrk: string,
  path: string,
  headers: Record<string, string>,
  bodyLength: number,
): Generator {
  const folder = mkdtempSync(join(context.folder, 'tidings-bench-wrk-'));
  context.defer(() => rmSync(folder, { recursive: true, force: true }));
  const scriptFile = join(folder, 'report.lua');
  const sizes: { name: string; bytes: number; inFlight: number }[] = [];
  return {
    name: 'wrk',
    send: async ({ name, url }, seconds) => {
      const job = { url: url + path, headers, connections: readConnections, threads, seconds, scriptFile };
      const result = await runWrk(wrk, job);
      const inFlight = (readConnections * result.bytesPerReply) / result.answers;
      sizes.push({ name, bytes: result.bytesPerReply, inFlight });
      return result;
    },
    faults: (results) => results.flatMap(({ target: { name } }) => sizeFaults(name, sizes, bodyLength)),
    notes: [],
  };
}

/** Bytes by which the heads of two replies of a program may differ, for example by the digits of a counter. */
const headDifference = 2;

/**
 * Compares the sizes of replies in all runs of a program. The bytes of replies that are incomplete at the end of a run
 * are in `bytes` too, so a run may exceed the others by `inFlight`.
 */
function sizeFaults(
  name: string,
  sizes: readonly { name: string; bytes: number; inFlight: number }[],
  bodyLength: number,
): string[] {
  const own = sizes.filter((each) => each.name === name);
  const smallest = Math.min(...own.map(({ bytes }) => bytes));
  const isSame = own.every(({ bytes, inFlight }) => bytes - smallest <= headDifference + inFlight);
  if (smallest > bodyLength && isSame) return [];
  const texts = own.map(({ bytes }) => bytes.toFixed(1));
  return [`${name}: replies of ${texts.join(', ')} bytes in the runs, for a body of ${bodyLength} bytes`];
}

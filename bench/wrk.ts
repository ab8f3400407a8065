/**
 * Sends GET requests with wrk, a generator in C. A read costs the service so little that a generator in Node would be
 * the limit.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { endedChildrenSeconds } from './cpu.ts';
import type { LoadResult } from './load.ts';

const run = promisify(execFile);

/** Number of values that wrk prints of its distribution of latencies. */
const quantiles = 2_000;

/** A run of wrk. `url` contains the path. */
export interface WrkJob {
  url: string;
  headers: Record<string, string>;
  connections: number;
  threads: number;
  seconds: number;
  /** File for the script that prints the results. */
  scriptFile: string;
}

/** The result of a run, with the processor seconds of wrk and the number of bytes of each reply. */
export interface WrkResult extends LoadResult {
  answers: number;
  cpu: number;
  bytesPerReply: number;
}

/**
 * The script runs at the end of wrk. Latencies are in microseconds. It prints evenly spaced quantiles, because wrk does
 * not give single latencies.
 */
const script = `
done = function(summary, latency, requests)
  local e = summary.errors
  io.write('{"requests":', summary.requests, ',"microseconds":', summary.duration, ',"bytes":', summary.bytes)
  io.write(',"status":', e.status, ',"broken":', e.connect + e.read + e.write + e.timeout, ',"latencies":[')
  for i = 1, ${quantiles} do
    if i > 1 then io.write(',') end
    io.write(latency:percentile(100 * (i - 0.5) / ${quantiles}))
  end
  io.write(']}\\n')
end
`;

/** What the script prints. */
interface Printed {
  requests: number;
  microseconds: number;
  bytes: number;
  status: number;
  broken: number;
  latencies: number[];
}

/** Runs wrk once. No other child process of the bench may end meanwhile, because its time would count for wrk. */
export async function runWrk(wrk: string, job: WrkJob): Promise<WrkResult> {
  writeFileSync(job.scriptFile, script);
  const before = endedChildrenSeconds();
  const headers = Object.entries(job.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const numbers = ['-t', String(job.threads), '-c', String(job.connections), '-d', `${job.seconds}s`];
  const { stdout } = await run(wrk, [...numbers, '-s', job.scriptFile, ...headers, job.url]);
  return toResult(stdout, endedChildrenSeconds() - before);
}

/** Reads the output of wrk. The last line is that of the script. */
export function toResult(stdout: string, cpu: number): WrkResult {
  const line = stdout.trimEnd().split('\n').at(-1) ?? '';
  const { requests, microseconds, bytes, status, broken, latencies } = JSON.parse(line) as Printed;
  const none = { statuses: {}, latencies: new Float64Array() };
  return {
    seconds: microseconds / 1e6,
    statuses: { 200: requests - status, ...(status > 0 && { 'other than 2xx or 3xx': status }) },
    errors: broken,
    mismatches: 0,
    latencies: Float64Array.from(latencies, (each) => each / 1000),
    acknowledged: new Uint32Array(),
    forged: new Uint32Array(),
    forgedReplies: none,
    readReplies: none,
    answers: requests,
    cpu,
    bytesPerReply: bytes / Math.max(1, requests),
  };
}

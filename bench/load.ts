/**
 * The load as the bench sees it: a process of its own that runs autocannon and is told over its channel what to send where.
 * One process serves a whole scenario, so that service and floor meet the same, equally warm generator.
 */
import { startProgram } from './program.ts';

/** What is sent: one GET whose answer is known, or signed deliveries, each of another pull request. */
export type RequestSource =
  | { kind: 'get'; path: string; headers: Record<string, string>; expectedBody: Uint8Array }
  | { kind: 'deliveries'; secret: string; run: string };

/** One run of the load against one server. */
export interface LoadJob {
  url: string;
  connections: number;
  seconds: number;
  /** Requests a second over all connections; as many as there are answers when it is left out. */
  rate?: number;
}

/** What came back. `latencies` are those of all answers, in milliseconds, in no order. */
export interface LoadResult {
  seconds: number;
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Connections that broke and requests that timed out. */
  errors: number;
  /** Answers with another body than expected. */
  mismatches: number;
  latencies: Float64Array;
  /** Numbers of the deliveries that were answered 202. */
  acknowledged: Uint32Array;
}

/** Bench to load program. */
export type LoadMessage = { type: 'prepare'; source: RequestSource } | { type: 'run'; job: LoadJob };

/** A load program that waits for jobs. */
export interface Load {
  readonly pid: number;
  run(job: LoadJob): Promise<LoadResult>;
  stop(): Promise<void>;
}

/** Starts the load program; it answers when its requests are built. */
export async function startLoad(source: RequestSource): Promise<Load> {
  const program = startProgram(new URL('./load-program.js', import.meta.url));
  await program.ask({ type: 'prepare', source } satisfies LoadMessage);
  return {
    pid: program.pid,
    run: (job) => program.ask<LoadResult>({ type: 'run', job } satisfies LoadMessage),
    stop: () => program.stop(),
  };
}

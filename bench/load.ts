/**
 * Starts the load program, a separate process that runs autocannon. The bench sends messages to the load program. The
 * first message describes the requests. Each later message describes one run and names the server to load. One load
 * program loads both servers: the service, and the floor (the server that the service is compared with). The load
 * program is therefore equally warmed up for both servers.
 */
import { startProgram } from './program.ts';

/** The requests to send: one GET with a known reply, or signed deliveries, each of a different pull request. */
export type RequestSource =
  | { kind: 'get'; path: string; headers: Record<string, string>; expectedBody: Uint8Array }
  | { kind: 'deliveries'; secret: string; run: string };

/** One run of the load against one server. */
export interface LoadJob {
  url: string;
  connections: number;
  seconds: number;
  /**
   * Requests per second over all connections. If the field is missing, each connection sends its next request as soon
   * as the previous reply has arrived.
   */
  rate?: number;
}

/** The result of a run. `latencies` has one value per reply, in milliseconds and in no particular order. */
export interface LoadResult {
  seconds: number;
  /** Number of replies by status. */
  statuses: Record<string, number>;
  /** Broken connections and requests that timed out. */
  errors: number;
  /** Replies with an unexpected body. */
  mismatches: number;
  latencies: Float64Array;
  /** Numbers of the deliveries with a 202 reply. */
  acknowledged: Uint32Array;
}

/** A message from the bench to the load program. */
export type LoadMessage = { type: 'prepare'; source: RequestSource } | { type: 'run'; job: LoadJob };

/** A load program that waits for jobs. */
export interface Load {
  readonly pid: number;
  run(job: LoadJob): Promise<LoadResult>;
  stop(): Promise<void>;
}

/** Starts the load program and waits until the program has built its requests. */
export async function startLoad(source: RequestSource): Promise<Load> {
  const program = startProgram(new URL('./load-program.js', import.meta.url));
  await program.ask({ type: 'prepare', source } satisfies LoadMessage);
  return {
    pid: program.pid,
    run: (job) => program.ask<LoadResult>({ type: 'run', job } satisfies LoadMessage),
    stop: () => program.stop(),
  };
}

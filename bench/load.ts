/**
 * Starts the load program, a separate process that sends requests. The bench sends messages to the load program. The
 * first message describes the requests. Each later message describes one run and names the server to load. One load
 * program loads all servers that are compared, so it is equally warmed up for each of them.
 */
import { startProgram } from './program.ts';

/** Requests that are mixed with deliveries, in percent of all requests. */
export interface Mixture {
  /** Deliveries with a wrong signature. */
  forgedPercent: number;
  readPercent: number;
  path: string;
  headers: Record<string, string>;
}

/** The requests to send: one GET with a known reply, or signed deliveries of pull requests. */
export type RequestSource =
  | { kind: 'get'; path: string; headers: Record<string, string>; expectedBody: Uint8Array }
  | {
      kind: 'deliveries';
      secret: string;
      run: string;
      repeats: boolean;
      mixture?: Mixture;
      /** Number of repositories that the deliveries are spread over. */
      repositories?: number;
    };

/**
 * One run of the load against one server. Exactly one of `seconds` and `count` is given. With `count`, the run ends
 * after so many requests.
 */
export interface LoadJob {
  url: string;
  /** Addresses that the connections are spread over, instead of `url`. Only for deliveries. */
  urls?: readonly string[];
  connections: number;
  seconds?: number;
  count?: number;
  /**
   * Requests per second over all connections, at even intervals. A request that is due while all connections wait for
   * replies is sent late, and its latency counts from the time when it was due. If the field is missing, each
   * connection sends its next request as soon as the previous reply has arrived.
   */
  rate?: number;
}

/** The replies of one kind of requests. */
export interface Replies {
  /** Number of replies by status. */
  statuses: Record<string, number>;
  /** One value per reply, in milliseconds and in no particular order. */
  latencies: Float64Array;
}

/** The result of a run. The replies of the main kind of requests are in the result itself. */
export interface LoadResult extends Replies {
  /** Time from the first request to the last reply. */
  seconds: number;
  /** Broken connections and requests that timed out. */
  errors: number;
  /** Replies with an unexpected body. */
  mismatches: number;
  /** Numbers of the deliveries with a 202 reply. */
  acknowledged: Uint32Array;
  /** Numbers of the deliveries that were sent with a wrong signature. */
  forged: Uint32Array;
  /** Replies to deliveries with a wrong signature, and to reads, if they are mixed in. */
  forgedReplies: Replies;
  readReplies: Replies;
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

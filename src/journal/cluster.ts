/**
 * Requests between the machines of a cluster: a new machine asks a node for the keys of the cluster, and the command line
 * asks all nodes for their state.
 */
import { packMessage, unpackMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { gather } from './gather.ts';
import type { NamedDigest } from './snapshots.ts';
import { joinSubject, statusSubject } from './subjects.ts';

const joinMs = 10_000;
/** Workers have a low priority. On a busy machine, their answers need a moment. */
const statusMs = 1500;

/** Answers requests of new machines to this node for as long as the connection is open. */
export function answerJoins(journal: Journal, answer: (request: unknown) => unknown): void {
  answerOn(journal, joinSubject(journal.node), answer);
}

/** Sends a request to join to a node. Returns undefined if the node does not answer. */
export async function askToJoin(journal: Journal, node: string, request: unknown): Promise<unknown> {
  const options = { timeout: joinMs };
  const reply = await journal.connection
    .request(joinSubject(node), packMessage(request), options)
    .catch(() => undefined);
  return reply && unpackMessage(reply.data);
}

/** The state of a partition on one node. */
export interface PartitionStatus {
  name: string;
  /** Sequence of the last folded message. */
  seq: number;
  /** Whether everything is folded that the stream contained when the node started. */
  caughtUp: boolean;
  /** Whether the node leads the partition, and may begin something now. */
  leads: boolean;
  /** The lead that the node knows; null before the first claim. */
  lead: { term: number; node: string } | null;
  /** Version of the rules by which the partition is folded. */
  foldVersion: number;
  /** The newest digest of the state, and the sequence that it belongs to; null before the first one. */
  digest: NamedDigest | null;
  /** Digests of the state at the positions where the nodes compare their states, oldest first. */
  named: readonly NamedDigest[];
  /**
   * `sound` if the state may be used. `doubted` or `undecided` if another node has another state and no majority is known
   * yet. `diverged` if most nodes have another state.
   */
  standing: 'sound' | 'doubted' | 'undecided' | 'diverged';
}

/** What a worker answers to the question for the state of its node. */
export interface WorkerStatus {
  from: 'worker';
  node: string;
  version: string;
  /** The highest version of fold rules that the worker knows. */
  foldVersion: number;
  partitions: readonly PartitionStatus[];
  /** Partitions that do not continue, and why. */
  stopped: readonly { name: string; cause: string }[];
}

/** What a supervisor answers to this question. */
export interface SupervisorStatus {
  from: 'supervisor';
  node: string;
  version: string;
  /** The processes that are not ready; empty if the node is ready. */
  waitingFor: readonly string[];
  /** How far the clock of the node is ahead of the NATS server's, in milliseconds; null if it is not known. */
  clockOffsetMs: number | null;
}

/** An answer of a process to the question for the state of its node. */
export type StatusAnswer = WorkerStatus | SupervisorStatus;

/** Answers questions for the state of this node for as long as the connection is open. */
export function answerStatus(journal: Journal, status: () => StatusAnswer | Promise<StatusAnswer>): void {
  answerOn(journal, statusSubject, status);
}

/** Asks the supervisors and workers of all nodes for their state. */
export async function askStatus(journal: Journal): Promise<StatusAnswer[]> {
  const answers = await gather(journal, statusSubject, undefined, { ms: statusMs });
  return answers.map((bytes) => unpackMessage<StatusAnswer>(bytes));
}

function answerOn({ connection }: Journal, subject: string, answer: (request: unknown) => unknown): void {
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (error) return;
      void answered(answer, message.data)
        .then((reply) => message.respond(packMessage(reply)))
        // The connection is closing, or the request cannot be read.
        .catch(() => undefined);
    },
  });
}

async function answered(answer: (request: unknown) => unknown, data: Uint8Array): Promise<unknown> {
  return answer(data.byteLength === 0 ? undefined : unpackMessage(data));
}

/**
 * Finds the processes of other nodes that can take over the lead of a partition. The lead asks them before it hands the
 * partition over. Answers are a snapshot of the moment: the claim in the partition's stream decides.
 */
import type { Subscription } from 'nats';
import type { PartitionName } from '../foundation/partition-names.ts';
import { packMessage, unpackMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { gather } from './gather.ts';
import { candidatesSubject } from './subjects.ts';

/** A process that has folded a partition and can lead it. */
export interface Candidate {
  node: string;
  /** Id of the process, for the claim. */
  life: string;
  /** Last sequence that the process has folded. */
  seq: number;
  /** Number of partitions that the process leads. */
  leads: number;
}

/** How long answers are collected, in milliseconds. Nodes are in one network, and answer from memory. */
const collectMs = 300;

/** Asks all nodes who can lead a partition. Without a connection, there is no candidate now. */
export async function findCandidates(journal: Journal, partition: PartitionName): Promise<Candidate[]> {
  const answers = await gather(journal, candidatesSubject(partition), undefined, { ms: collectMs }).catch(() => []);
  return answers.filter(({ length }) => length > 0).map((answer) => unpackMessage<Candidate>(answer));
}

/** Answers the question who can lead a partition, for as long as `candidate` returns a value. */
export function answerAsCandidate(
  { connection }: Journal,
  partition: PartitionName,
  candidate: () => Candidate | undefined,
): Subscription {
  return connection.subscribe(candidatesSubject(partition), {
    callback: (error, message) => {
      const own = error ? undefined : candidate();
      if (own) message.respond(packMessage(own));
    },
  });
}

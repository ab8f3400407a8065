/**
 * Lets only instances that belong together use one journal. On one machine, a second instance with another data
 * directory would fold the same streams into its own stores and carry out every effect a second time. So it refuses to
 * start. Nodes of one cluster may run together (`docs/architecture.md` decisions 31 and 50).
 */

import { randomUUID } from 'node:crypto';
import type { Identity } from '../protocol/identity.ts';
import { packMessage, unpackMessage } from './codec.ts';
import type { Journal } from './connect.ts';
import { gather } from './gather.ts';
import { instanceSubject } from './subjects.ts';
import { JournalSetupError } from './topology.ts';

/** What an instance tells others about itself. */
export interface Instance {
  dataDir: string;
  /** Name of the node; undefined on one machine. */
  node: string | undefined;
  /** What the node has in common with the other nodes; undefined on one machine. */
  identity: Identity | undefined;
}

const askMs = 1000;

/**
 * Claims the journal for as long as the connection is open.
 * @param self returns the facts about this instance. They are read for each answer, because a key can be rotated
 * @param faultOf returns why this instance must not run beside another one
 * @throws JournalSetupError if an instance that does not belong to this one uses the journal
 */
export async function claimInstance(
  journal: Journal,
  self: () => Instance,
  faultOf: (own: Instance, other: Instance) => string | undefined,
): Promise<void> {
  const own = self();
  const boot = randomUUID();
  const refuse = (others: readonly Instance[]): void => {
    for (const other of others) {
      const fault = faultOf(own, other);
      if (fault !== undefined) throw new JournalSetupError(fault);
    }
  };
  const now = (): Instance => {
    try {
      return self();
    } catch {
      // A file is being replaced.
      return own;
    }
  };
  if (own.node === undefined) refuse(await askInstances(journal, { first: true }));
  const answering = journal.connection.subscribe(instanceSubject, {
    callback: (error, message) => void (error ?? message.respond(packMessage({ ...now(), boot }))),
  });
  if (own.node === undefined) return;
  try {
    // A node answers before it asks, so that of two nodes that start at the same time at least one hears the other.
    refuse(await askInstances(journal, { besides: boot }));
  } catch (error) {
    answering.unsubscribe();
    throw error;
  }
}

/**
 * Asks all running instances about themselves. Without instances, the answer comes at once.
 * @param first true to ask for one instance only
 * @param besides boot id of the instance whose answer is left out
 */
export async function askInstances(
  journal: Journal,
  { first = false, besides }: { first?: boolean; besides?: string } = {},
): Promise<Instance[]> {
  const answers = await gather(journal, instanceSubject, undefined, {
    ms: askMs,
    until: ({ length }) => first && length > 0,
  });
  return answers.map(toInstance).filter(({ boot }) => boot === undefined || boot !== besides);
}

function toInstance(bytes: Uint8Array): Instance & { boot?: string } {
  try {
    const { dataDir, node, identity, boot } = unpackMessage<Partial<Instance> & { boot?: string }>(bytes);
    if (typeof dataDir === 'string') return { dataDir, node, identity, ...(boot !== undefined && { boot }) };
  } catch {
    // Earlier versions answer with the path of their data directory.
  }
  return { dataDir: Buffer.from(bytes).toString(), node: undefined, identity: undefined };
}

/**
 * Defines the names of all streams and subjects on the journal. No other file contains the name of a subject.
 */
import type { PartitionName } from '../foundation/partition-names.ts';

/** The node name of a service that runs on one machine. */
export const soleNode = 'local';

/** Returns the name of a partition's stream, such as `TIDINGS_P00` or `TIDINGS_DIRECTORY`. */
export function streamOf(partition: PartitionName): string {
  return `TIDINGS_${partition.toUpperCase()}`;
}

export function recordsSubject(partition: PartitionName): string {
  return `tidings.records.${partition}`;
}

/**
 * Returns the subject of the `folded` signals. Signals and questions name the node: each node folds every partition into
 * its own store, so a signal of another node says nothing about this store.
 */
export function foldedSubject(node: string, partition: PartitionName): string {
  return `tidings.${node}.folded.${partition}`;
}

/** What a partition has changed, for the live events of clients. */
export function changesSubject(node: string, partition: PartitionName): string {
  return `tidings.${node}.changes.${partition}`;
}

/** Questions about a partition that the node answers from its own store. */
export function querySubject(node: string, partition: PartitionName): string {
  return `tidings.${node}.query.${partition}`;
}

/**
 * Questions that only the lead of a partition can answer. The subject names the node that leads as the sender knows it, so
 * that never two processes answer while the lead changes.
 */
export function leadQuerySubject(node: string, partition: PartitionName): string {
  return `tidings.${node}.lead.${partition}`;
}

/** The gateways of a node answer requests on this subject with the facts in their memory. */
export function gatewaySubject(node: string): string {
  return `tidings.${node}.gateway`;
}

/** New machines send their requests to join a cluster to one of its nodes. */
export function joinSubject(node: string): string {
  return `tidings.${node}.join`;
}

/** All nodes of a cluster answer questions for their state. */
export const statusSubject = 'tidings.cluster.status';

/** The instances that use a server's journal answer requests on this subject. */
export const instanceSubject = 'tidings.instance';

/** A gateway announces itself on this subject to the other gateways. `member` is its name, or `*` for all of them. */
export function announcementSubject(member: string): string {
  return `tidings.node.${member}`;
}

/** Questions of gateways to one of them. */
export function memberSubject(member: string): string {
  return `tidings.member.${member}`;
}

/** Notices of a gateway to all the others. */
export const noticesSubject = 'tidings.notices';

/** The processes of all nodes that can lead a partition answer requests on this subject. */
export function candidatesSubject(partition: PartitionName): string {
  return `tidings.cluster.candidates.${partition}`;
}

/** Requests for pieces of the snapshots of a partition that a node offers. */
export function snapshotSubject(node: string, partition: PartitionName): string {
  return `tidings.${node}.snapshot.${partition}`;
}

/** A node announces on this subject its position in each partition, and the snapshots that it offers to other nodes. */
export function positionsSubject(node: string): string {
  return `tidings.node.${node}.positions`;
}

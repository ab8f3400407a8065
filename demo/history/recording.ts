/**
 * Collects deliveries, and keeps the state that the next deliveries need. This file also makes the deliveries for
 * branches and tags. Other files make the deliveries for pull requests and issues.
 */

import { type Commit, commitPayload, type Payload, type Snapshot, surroundings } from './payloads.ts';
import { emailOf, type Person } from './people.ts';
import type { PlannedIssue } from './plan.ts';
import type { Random } from './random.ts';
import { sampleRepository } from './repository.ts';

/** One webhook as the host would send it. The sender serializes the body and signs the result. */
export type Delivery = { event: string; delivery: string; body: Payload };

export type Recording = {
  random: Random;
  deliveries: Delivery[];
  heads: Map<string, Commit>;
  tags: Map<string, Commit>;
  issues: Map<PlannedIssue, Snapshot>;
  pushedAt: number;
};

/** An action, and its time in Unix seconds. */
export type Step = { at: number; run(recording: Recording): void };

const nothing = '0'.repeat(40);

export function createRecording(random: Random): Recording {
  return { random, deliveries: [], heads: new Map(), tags: new Map(), issues: new Map(), pushedAt: 0 };
}

/** Adds a delivery with a new delivery id. */
export function record(recording: Recording, event: string, body: Payload): void {
  recording.deliveries.push({ event, delivery: recording.random.uuid(), body });
}

/** Returns the newest commit of a branch. Throws when nothing was pushed to the branch yet. */
export function headOf(recording: Recording, branch: string): Commit {
  const head = recording.heads.get(branch);
  if (head === undefined) throw new Error(`Nothing was pushed to ${branch} yet`);
  return head;
}

/** Pushes commits to a branch, oldest first. Creates the branch if it does not exist. */
export function pushCommits(recording: Recording, branch: string, commits: Commit[], pusher: Person, at: number): void {
  const before = recording.heads.get(branch);
  const after = commits.at(-1)!;
  recording.heads.set(branch, after);
  recordPush(recording, { ref: `refs/heads/${branch}`, before: before?.sha ?? nothing, after, commits, pusher, at });
}

/** Creates a branch at a known commit, so the push lists no commits. */
export function pushBranch(recording: Recording, branch: string, start: Commit, pusher: Person, at: number): void {
  recording.heads.set(branch, start);
  const baseRef = `refs/heads/${sampleRepository.defaultBranch}`;
  recordPush(recording, {
    ref: `refs/heads/${branch}`,
    before: nothing,
    after: start,
    commits: [],
    pusher,
    at,
    baseRef,
  });
}

export function deleteBranch(recording: Recording, branch: string, pusher: Person, at: number): void {
  const before = headOf(recording, branch).sha;
  recording.heads.delete(branch);
  recordPush(recording, { ref: `refs/heads/${branch}`, before, after: null, commits: [], pusher, at });
}

/** Tags the head of a branch. An annotated tag is a separate object, and `after` contains the sha of that object. */
export function pushTag(
  recording: Recording,
  tag: { name: string; isAnnotated: boolean },
  branch: string,
  pusher: Person,
  at: number,
): void {
  const commit = headOf(recording, branch);
  recording.tags.set(tag.name, commit);
  const tagObject = tag.isAnnotated ? recording.random.hex(40) : undefined;
  const baseRef = `refs/heads/${branch}`;
  const common = { before: nothing, after: commit, commits: [], pusher, at, baseRef };
  recordPush(recording, { ref: `refs/tags/${tag.name}`, ...common, ...(tagObject === undefined ? {} : { tagObject }) });
  const created = {
    ref: tag.name,
    ref_type: 'tag',
    master_branch: sampleRepository.defaultBranch,
    pusher_type: 'user',
  };
  record(recording, 'create', { ...created, description: null, ...surroundings(pusher, at) });
}

type Push = {
  ref: string;
  before: string;
  after: Commit | null;
  commits: Commit[];
  pusher: Person;
  at: number;
  baseRef?: string;
  tagObject?: string;
};

function recordPush(recording: Recording, push: Push): void {
  recording.pushedAt = push.at;
  const after = push.tagObject ?? push.after?.sha ?? nothing;
  const range = push.before === nothing ? after.slice(0, 12) : `${push.before.slice(0, 12)}...${after.slice(0, 12)}`;
  record(recording, 'push', {
    ref: push.ref,
    before: push.before,
    after,
    created: push.before === nothing,
    deleted: push.after === null,
    forced: false,
    base_ref: push.baseRef ?? null,
    compare: `${sampleRepository.htmlUrl}/compare/${range}`,
    commits: push.commits.map(commitPayload),
    head_commit: push.after === null ? null : commitPayload(push.after),
    pusher: { name: push.pusher.login, email: emailOf(push.pusher) },
    ...surroundings(push.pusher, push.at, true),
  });
}

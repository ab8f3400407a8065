/**
 * Makes the deliveries of one pull request: opened, labeled, edited, closed or merged. A page (`Page`) combines the
 * plan of a pull request with its current state.
 */

import { describePullRequest } from './descriptions.ts';
import { labelPayload, type Payload, type Snapshot, surroundings } from './payloads.ts';
import { maintainers, type Person } from './people.ts';
import type { PlannedPullRequest } from './plan.ts';
import { openingSnapshot, pullRequestPayload } from './pull-request-payloads.ts';
import type { Random } from './random.ts';
import { headOf, type Recording, record } from './recording.ts';

export type Page = {
  pull: PlannedPullRequest;
  now: Snapshot;
  /** SHA of the base branch's head when the pull request was opened. Empty before the pull request is opened. */
  baseSha: string;
  /** `labelsSoon` are added right after the opening. `labelsLate` are added only after the merge. */
  labelsSoon: string[];
  labelsLate: string[];
  /**
   * True if the first description does not mention the linked issues. An edit after the merge then adds the links to
   * the description.
   */
  linksLate: boolean;
};

/** Decides at random which labels and links of this pull request are added late. */
export function createPage(random: Random, pull: PlannedPullRequest): Page {
  const { labels, outcome, byBot, key } = pull.change;
  const isPlain = outcome === 'merged' && !byBot && key === undefined && pull.original === undefined;
  const labelsLate = isPlain && random.chance(0.08) ? labels.filter((label) => label.startsWith('type: ')) : [];
  const rest = labels.filter((label) => !labelsLate.includes(label));
  const labelsSoon = !byBot && random.chance(0.35) ? rest : [];
  const linksLate = isPlain && pull.issues.length > 0 && random.chance(0.07);
  const atOpening = rest.filter((label) => !labelsSoon.includes(label));
  return { pull, baseSha: '', now: openingSnapshot(pull, atOpening, !linksLate), labelsSoon, labelsLate, linksLate };
}

export function openPullRequest(recording: Recording, page: Page): void {
  page.baseSha = headOf(recording, page.pull.base).sha;
  recordAction(recording, page, 'opened', page.pull.author);
}

export function labelPullRequest(recording: Recording, page: Page, label: string, at: number): void {
  page.now = { ...page.now, labels: [...page.now.labels, label], updatedAt: at };
  recordAction(recording, page, 'labeled', maintainers[2]!, { label: labelPayload(label) });
}

/** Sets the final title and the full description. The payload contains the former values of the changed fields. */
export function editPullRequest(recording: Recording, page: Page, at: number): void {
  const { title, body } = page.now;
  const edited = { title: page.pull.change.title, body: describePullRequest(page.pull) };
  const changes = {
    ...(edited.title === title ? {} : { title: { from: title } }),
    ...(edited.body === body ? {} : { body: { from: body ?? '' } }),
  };
  page.now = { ...page.now, ...edited, updatedAt: at };
  recordAction(recording, page, 'edited', page.pull.author, { changes });
}

/** Closes or merges the pull request, as its plan requires. */
export function closePullRequest(recording: Recording, page: Page, at: number): void {
  page.now = { ...page.now, state: 'closed', updatedAt: at, closedAt: at };
  recordAction(recording, page, 'closed', page.pull.mergedBy);
}

function recordAction(recording: Recording, page: Page, action: string, sender: Person, extra: Payload = {}): void {
  const { pull, now } = page;
  const payload = pullRequestPayload(pull, now, page.baseSha);
  const common = surroundings(sender, recording.pushedAt);
  record(recording, 'pull_request', { action, number: pull.number, pull_request: payload, ...extra, ...common });
}

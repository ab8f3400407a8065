/**
 * Makes the deliveries of one issue: opened by a user, labeled and discussed, closed by a merge or with an answer.
 */

import { issueRemarks } from './content/remarks.ts';
import { issuePayload, labelPayload, type Payload, remarkPayload, type Snapshot, surroundings } from './payloads.ts';
import { maintainers, type Person, reporters } from './people.ts';
import type { PlannedIssue } from './plan.ts';
import type { Random } from './random.ts';
import { type Recording, record, type Step } from './recording.ts';
import { sampleRepository, toTime } from './repository.ts';

/** Returns all steps of an issue, except its closing by a merge. */
export function issueSteps(random: Random, issue: PlannedIssue): Step[] {
  const { report, openedAt, answer } = issue;
  const labelsSoon = random.chance(0.5) ? report.labels : [];
  const labels = report.labels.filter((label) => !labelsSoon.includes(label));
  const steps: Step[] = [{ at: openedAt, run: (recording) => openIssue(recording, issue, labels) }];
  labelsSoon.forEach((label, index) => {
    const at = openedAt + 900 + index * 8;
    steps.push({ at, run: (recording) => labelIssue(recording, issue, label, at) });
  });
  if (random.chance(0.5)) steps.push(commentStep(random, issue));
  if (answer === undefined) return steps;
  const answerer = random.pick(maintainers);
  const reply = { id: 3_300_000_000 + issue.number, who: answerer, text: answer.text };
  steps.push({ at: answer.at, run: (recording) => commentOnIssue(recording, issue, reply, answer.at) });
  steps.push({ at: answer.at + 2, run: (recording) => closeIssue(recording, issue, answerer, answer.at + 2) });
  return steps;
}

function openIssue(recording: Recording, issue: PlannedIssue, labels: string[]): void {
  const { title, body } = issue.report;
  const updatedAt = issue.openedAt;
  recording.issues.set(issue, { title, body, labels, state: 'open', updatedAt, closedAt: null, comments: 0 });
  recordAction(recording, issue, 'opened', issue.reporter);
}

/**
 * Closes the issue. `closer` is the person who closes the issue by hand. If a merge closes the issue, `closer` is the
 * person who merges the pull request.
 */
export function closeIssue(recording: Recording, issue: PlannedIssue, closer: Person, at: number): void {
  update(recording, issue, { state: 'closed', closedAt: at, updatedAt: at });
  recordAction(recording, issue, 'closed', closer);
}

function commentStep(random: Random, issue: PlannedIssue): Step {
  const at = issue.openedAt + random.between(1000, 5000);
  const who = random.pick(reporters.filter((reporter) => reporter !== issue.reporter));
  const remark = { id: 3_200_000_000 + issue.number, who, text: random.pick(issueRemarks) };
  return { at, run: (recording) => commentOnIssue(recording, issue, remark, at) };
}

type Remark = { id: number; who: Person; text: string };

function commentOnIssue(recording: Recording, issue: PlannedIssue, remark: Remark, at: number): void {
  const now = update(recording, issue, { updatedAt: at, comments: snapshotOf(recording, issue).comments + 1 });
  const page = `${sampleRepository.htmlUrl}/issues/${issue.number}`;
  const times = { created_at: toTime(at), updated_at: toTime(at) };
  const comment = { ...remarkPayload(remark.id, remark.who, remark.text, page), ...times };
  const common = surroundings(remark.who, recording.pushedAt);
  record(recording, 'issue_comment', { action: 'created', issue: issuePayload(issue, now), comment, ...common });
}

function labelIssue(recording: Recording, issue: PlannedIssue, label: string, at: number): void {
  update(recording, issue, { labels: [...snapshotOf(recording, issue).labels, label], updatedAt: at });
  recordAction(recording, issue, 'labeled', maintainers[2]!, { label: labelPayload(label) });
}

function recordAction(recording: Recording, issue: PlannedIssue, action: string, sender: Person, extra: Payload = {}) {
  const payload = issuePayload(issue, snapshotOf(recording, issue));
  record(recording, 'issues', { action, issue: payload, ...extra, ...surroundings(sender, recording.pushedAt) });
}

function snapshotOf(recording: Recording, issue: PlannedIssue): Snapshot {
  return recording.issues.get(issue)!;
}

function update(recording: Recording, issue: PlannedIssue, changes: Partial<Snapshot>): Snapshot {
  const now = { ...snapshotOf(recording, issue), ...changes };
  recording.issues.set(issue, now);
  return now;
}

/**
 * Makes the reviews and comments of a pull request. Each of them is dated between the opening of the pull request and
 * its merge or closing.
 */

import { pullRequestRemarks, reviewRemarks } from './content/remarks.ts';
import { remarkPayload, surroundings } from './payloads.ts';
import { maintainers, type Person, regulars } from './people.ts';
import { pullRequestAsIssue, simplePullRequestPayload } from './pull-request-payloads.ts';
import type { Page } from './pull-requests.ts';
import type { Random } from './random.ts';
import { type Recording, record, type Step } from './recording.ts';
import { sampleRepository, toTime } from './repository.ts';

/** Returns the steps that add remarks to one pull request. Pull requests of the bot usually have no remarks. */
export function remarkSteps(random: Random, page: Page): Step[] {
  const { change, endedAt, openedAt, author, number } = page.pull;
  const end = endedAt ?? openedAt + 86_400;
  const share = (from: number, to: number) =>
    Math.floor(openedAt + (end - openedAt) * (from + random.fraction() * (to - from)));
  const steps: Step[] = [];
  if (random.chance(change.byBot ? 0.1 : 0.3)) {
    const who = random.pick([...maintainers, ...regulars].filter((person) => person !== author));
    const remark = { id: 3_400_000_000 + number, who, text: random.pick(pullRequestRemarks) };
    steps.push(commentStep(page, remark, share(0.1, 0.5)));
  }
  if (change.outcome === 'merged' && random.chance(change.byBot ? 0.2 : 0.55))
    steps.push(reviewStep(random, page, share(0.5, 0.95)));
  if (change.closingComment !== undefined) {
    const remark = { id: 3_500_000_000 + number, who: page.pull.mergedBy, text: change.closingComment };
    steps.push(commentStep(page, remark, end - 3));
  }
  return steps;
}

function commentStep(page: Page, remark: { id: number; who: Person; text: string }, at: number): Step {
  const run = (recording: Recording) => {
    page.now = { ...page.now, comments: page.now.comments + 1, updatedAt: at };
    const times = { created_at: toTime(at), updated_at: toTime(at) };
    const comment = { ...remarkPayload(remark.id, remark.who, remark.text, pageUrl(page)), ...times };
    const issue = pullRequestAsIssue(page.pull, page.now);
    record(recording, 'issue_comment', {
      action: 'created',
      issue,
      comment,
      ...surroundings(remark.who, recording.pushedAt),
    });
  };
  return { at, run };
}

function reviewStep(random: Random, page: Page, at: number): Step {
  const { pull } = page;
  const reviewer = random.pick(maintainers.filter((person) => person !== pull.author));
  const state = random.chance(0.85) ? 'approved' : random.pick(['changes_requested', 'commented']);
  const text = random.pick(reviewRemarks) || null;
  const run = (recording: Recording) => {
    page.now = { ...page.now, updatedAt: at };
    const said = remarkPayload(3_600_000_000 + pull.number, reviewer, text, pageUrl(page));
    const review = { ...said, commit_id: pull.headSha, state, submitted_at: toTime(at) };
    const payload = simplePullRequestPayload(pull, page.now, page.baseSha);
    const common = surroundings(reviewer, recording.pushedAt);
    record(recording, 'pull_request_review', { action: 'submitted', review, pull_request: payload, ...common });
  };
  return { at, run };
}

function pageUrl(page: Page): string {
  return `${sampleRepository.htmlUrl}/pull/${page.pull.number}`;
}

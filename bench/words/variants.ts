/**
 * Makes the bare variant of a recorded history: the same deliveries without their labels, release notes, upgrade steps,
 * issues and branch names. A draft of the bare variant shows what the titles and bodies alone can tell.
 */

/** `given`: the deliveries as they were recorded. `bare`: without labels, notes, steps, issues and branch names. */
export type Variant = 'given' | 'bare';

/** One recorded delivery: the name of the event, its id and its payload. */
export interface Delivery {
  event: string;
  delivery: string;
  body: Record<string, unknown>;
}

interface PullPayload {
  body: string | null;
  labels: unknown[];
  head: { ref: string };
  user: { login: string; type?: string } | null;
}

const branchPattern = /\/cherry-pick-|^cherry-pick-|^dependabot\//;
const noteBlock = /^ {0,3}(`{3,}|~{3,}) *release-note[^\n]*\n[\s\S]*?^ {0,3}\1\s*$/gm;
const stepsHeading = /^#{1,6}[ \t]+(?:upgrad|migrat|breaking|action required|release[- ]notes?|changelog)/i;

/** Returns a delivery in the given variant; undefined if the variant does not have this delivery. */
export function inVariant(delivery: Delivery, variant: Variant): Delivery | undefined {
  if (variant === 'given') return delivery;
  if (delivery.event === 'issues' || delivery.event === 'issue_comment') return undefined;
  const pull = delivery.body.pull_request as PullPayload | undefined;
  if (!pull) return delivery;
  return { ...delivery, body: { ...delivery.body, pull_request: barePull(pull) } };
}

/** Removes what was made up for a pull request. Labels of a bot's pull requests and branch names of bots stay. */
function barePull(pull: PullPayload): PullPayload {
  const isBot = pull.user?.type === 'Bot' || (pull.user?.login ?? '').endsWith('[bot]');
  return {
    ...pull,
    labels: isBot ? pull.labels : [],
    head: { ...pull.head, ref: branchPattern.test(pull.head.ref) ? pull.head.ref : 'topic' },
    body: pull.body === null ? null : withoutSections(pull.body.replace(/\r\n?/g, '\n').replace(noteBlock, '')),
  };
}

/** Removes the sections about upgrading and release notes, each with all text up to the next heading. */
function withoutSections(body: string): string {
  const kept: string[] = [];
  let isSkipped = false;
  for (const line of body.split('\n')) {
    if (/^#{1,6}[ \t]/.test(line)) isSkipped = stepsHeading.test(line);
    if (!isSkipped) kept.push(line);
  }
  return kept.join('\n');
}

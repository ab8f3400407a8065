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

const botBranch = /^dependabot\/|(?:^|\/)(?:cherry-pick-|backport-\d)/;
const noteBlock = /^ {0,3}(`{3,}|~{3,}) *release-note[^\n]*\n[\s\S]*?^ {0,3}\1\s*$/gm;
const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const heading = /^(?: {0,3}(#{1,6})[ \t]+\S|\*\*[^*]{1,100}\*\*:?\s*$)/;
/** Matches the headings under which the rules find steps and notes. */
const stepsHeading =
  /\b(?:upgrad(?:e|ing)|migrat(?:ion|ing|e)|breaking|action required)\b|^[ #\t*]*(?:release[- ]notes?|changelog)/i;

/** Returns a delivery in the given variant; undefined if the variant does not have this delivery. */
export function inVariant(delivery: Delivery, variant: Variant): Delivery | undefined {
  if (variant === 'given') return delivery;
  if (delivery.event === 'issues' || delivery.event === 'issue_comment') return undefined;
  const pull = delivery.body.pull_request as PullPayload | undefined;
  if (!pull) return delivery;
  return { ...delivery, body: { ...delivery.body, pull_request: barePull(pull) } };
}

/** Removes what was made up for a pull request. Labels of a bot's pull requests and branch names that bots make stay. */
function barePull(pull: PullPayload): PullPayload {
  const isBot = pull.user?.type === 'Bot' || (pull.user?.login ?? '').endsWith('[bot]');
  return {
    ...pull,
    labels: isBot ? pull.labels : [],
    head: { ...pull.head, ref: botBranch.test(pull.head.ref) ? pull.head.ref : 'topic' },
    body: pull.body === null ? null : withoutSections(pull.body.replace(/\r\n?/g, '\n').replace(noteBlock, '')),
  };
}

/**
 * Removes the sections about upgrading and release notes. A section ends at the next heading of the same or a higher
 * level. A line in a code block is not a heading.
 */
function withoutSections(body: string): string {
  const kept: string[] = [];
  let opened = '';
  let skippedDepth = 0;
  for (const line of body.split('\n')) {
    const mark = fence.exec(line)?.[1];
    if (mark && (opened === '' || mark.startsWith(opened))) opened = opened === '' ? mark : '';
    const depth = mark || opened !== '' ? 0 : depthOf(line);
    if (depth > 0 && (skippedDepth === 0 || depth <= skippedDepth)) skippedDepth = stepsHeading.test(line) ? depth : 0;
    if (skippedDepth === 0) kept.push(line);
  }
  return kept.join('\n');
}

/** Returns the depth of a heading; 0 for any other line. A bold line is a heading of the deepest level. */
function depthOf(line: string): number {
  const found = heading.exec(line);
  return found ? (found[1]?.length ?? 7) : 0;
}

/**
 * Builds the small invented repositories whose drafts show a house style: how a project writes titles, bodies and
 * commits. `../styles.test.ts` compares the drafts with reviewed drafts.
 */
import { createHash } from 'node:crypto';
import type {
  CommitRecord,
  IssueRecord,
  PullRecord,
  PushRecord,
  RangeBounds,
} from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, aTag, day, type Memory } from '../memory-source.ts';

/** A repository with a range, and facts that the test checks besides the golden drafts. */
export interface Style {
  /** Name of the folder in `test/golden/styles/`. */
  name: string;
  memory: Memory;
  bounds: RangeBounds;
  /** Markers of the changes that all drafts must announce as breaking, for example `pr:12`. */
  breaking: string[];
}

/** A step on a branch: the commits of one push, and the pull request that was merged by the last of these commits. */
export interface Step {
  pull?: PullRecord;
  commits: { sha: string; message: string; author: string | null }[];
}

/** Optional fields of a pull request. `by` is the login of the author. */
interface PullFields extends Partial<Omit<PullRecord, 'author'>> {
  by?: string;
  bot?: boolean;
  /** Message of the merge commit after its subject, as hosts make it for a squash. */
  squashed?: string;
  /** Commits of the pull request, if it was merged and not squashed. */
  commits?: string[];
}

/** Returns the hash of an invented commit. The same name always gives the same hash. */
export function sha(name: string): string {
  return createHash('sha1').update(name).digest('hex');
}

/** Returns a merged pull request. It is squashed, unless `commits` names the messages of its commits. */
export function pull(number: number, title: string, fields: PullFields = {}): Step {
  const { by = 'marit-l', bot = false, squashed, commits = [], ...record } = fields;
  const mergeSha = sha(`#${number} ${title}`);
  const subject = commits.length > 0 ? `Merge pull request #${number} from ${by}/topic-${number}` : title;
  const suffix = commits.length > 0 || title.endsWith(`(#${number})`) ? '' : ` (#${number})`;
  const message = `${subject}${suffix}${squashed === undefined ? '' : `\n\n${squashed}`}`;
  return {
    pull: aPull(number, { title, mergeSha, author: { login: by, bot }, ...record }),
    commits: [
      ...commits.map((text) => ({ sha: sha(`#${number} ${text}`), message: text, author: by })),
      { sha: mergeSha, message, author: by },
    ],
  };
}

/** Returns commits that were pushed together without a pull request. */
export function direct(author: string | null, ...messages: string[]): Step {
  return { commits: messages.map((message) => ({ sha: sha(message), message, author })) };
}

export function issue(number: number, title: string, fields: Partial<IssueRecord> = {}): IssueRecord {
  return anIssue(number, { title, ...fields });
}

/** The steps of a branch. The first step is on day `from`, and each further step is a day later. */
export interface Line {
  branch: string;
  from: number;
  /** Commit on which the branch begins. */
  start: string;
  steps: Step[];
  /** Tags of this branch, by the index of the step that they follow. */
  tags: Record<string, number>;
}

/** Makes the records of a repository from the steps of its branches. */
export function records(fullName: string, lines: readonly Line[], more: Memory = {}): Memory {
  const url = `https://git.example/${fullName}`;
  const pulls: PullRecord[] = [];
  const commits: CommitRecord[] = [];
  const pushes: PushRecord[] = [];
  const tags = [];
  for (const { branch, from, start, steps, tags: named } of lines) {
    let before = start;
    for (const [index, step] of steps.entries()) {
      const at = day(from + index);
      const shas = step.commits.map((each) => each.sha);
      const after = shas.at(-1) as string;
      for (const each of step.commits) commits.push({ ...each, at, coAuthors: [], pushes: [[branch, after]] });
      pushes.push({ branch, before, after, baseRef: null, shas, forced: false, gap: false, at });
      if (step.pull) pulls.push({ ...step.pull, ...placeOf(step.pull, branch, at, url) });
      for (const [name, place] of Object.entries(named))
        if (place === index) tags.push(aTag(name, after, { date: at, pushedAt: at, baseRef: branch }));
      before = after;
    }
  }
  const issues = (more.issues ?? []).map((each) => ({ ...each, url: `${url}/issues/${each.number}` }));
  const repository = { fullName, url, origin: 'https://git.example' };
  return { ...more, repository, pulls, commits, pushes, tags, issues };
}

function placeOf({ number }: PullRecord, branch: string, at: number, url: string): Partial<PullRecord> {
  const times = { createdAt: at - 1000, updatedAt: at, closedAt: at, mergedAt: at };
  return { ...times, baseRef: branch, url: `${url}/pull/${number}` };
}

/** Makes a repository with one branch. The range begins at the first step and contains all later steps. */
export function release(fullName: string, tags: [string, string], steps: readonly Step[], more: Memory = {}): Memory {
  const [from, to] = tags;
  const all = [direct('marit-l', `Release ${from}`), ...steps];
  const line = { branch: 'main', from: 10, start: sha('root'), steps: all, tags: { [from]: 0, [to]: steps.length } };
  return records(fullName, [line], more);
}

/** Returns the range between two tags. */
export function between(fromTag: string, toTag: string): RangeBounds {
  return { type: 'TAG_BASED', fromTag, toTag };
}

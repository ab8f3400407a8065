/**
 * Makes one invented history in two forms: as a git repository and as a partition. Both have the same commits, with the
 * hashes that git computed. The partition also has pull requests and issues. The changes vary in kind, area and length
 * as real changes do.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { linkedIssues } from '../src/notes/change/link.ts';
import type { CommitRecord, IssueRecord, PullRecord, RepositoryRecord } from '../src/protocol/stored.ts';
import { openPartition, type Partition } from '../src/store/partition.ts';
import { writeIssue } from '../src/store/tables/issues.ts';
import { writePull } from '../src/store/tables/pulls.ts';
import { writeCommit, writePush } from '../src/store/tables/pushes.ts';
import { writeRange } from '../src/store/tables/ranges.ts';
import { writeRepository } from '../src/store/tables/repositories.ts';
import { writeTag } from '../src/store/tables/tags.ts';

export const partitionName = 'p00';
const repoId = 'repo_00bench';
const origin = 'https://scm.example';
const fullName = 'acme/rocket';
const start = Date.UTC(2025, 0, 1);
const stepMs = 3_600_000;
const kinds = ['feat', 'fix', 'fix', 'docs', 'chore', 'perf', 'feat', 'fix', 'refactor', 'test'];
const areas = ['api', 'core', 'ui', 'storage', 'search', 'cli'];

/**
 * A range between two tags. `pulls` is the number of pull requests in the range. Each pull request is merged as one
 * commit.
 */
export interface BenchRange {
  id: string;
  fromTag: string;
  toTag: string;
  pulls: number;
}

/** Returns the subject of a commit. The subject ends with the number of its pull request in brackets. */
function subjectOf(number: number): string {
  const kind = kinds[number % kinds.length];
  const breaks = number % 97 === 0 ? '!' : '';
  return `${kind}(${areas[number % areas.length]})${breaks}: change how part ${number} works with \`option-${number % 50}\` (#${number})`;
}

function bodyOf(number: number): string {
  const words = `Part ${number} did not do what its users expect. `.repeat(6);
  const upgrade = number % 97 === 0 ? '\n\n## Upgrade\n\n1. Stop the service.\n2. Rename `old` to `new`.\n' : '';
  return `${words}${number % 3 === 0 ? `\n\nFixes #${100_000 + number}` : ''}${upgrade}`;
}

/** Returns the message of a squash merge: the subject and the description of the pull request. */
function messageOf(number: number): string {
  return number === 0 ? 'chore: begin' : `${subjectOf(number)}\n\n${bodyOf(number)}`;
}

/** Returns a commit's change to one file, in the format of git fast-import. The files are in nested folders. */
function fileOf(number: number): string {
  const path = `src/${areas[number % areas.length]}/part${number % 40}/file${number % 1_200}.ts`;
  const content = Array.from({ length: 40 }, (_, line) => `export const value${line} = ${number * line};`).join('\n');
  return `M 644 inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}`;
}

/** Makes the git repository in `folder`. Returns the shas of its commits in order. */
export function writeGitRepository(folder: string, commits: number, ranges: readonly BenchRange[]): string[] {
  const git = (args: string[], input = ''): string =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', input, maxBuffer: 1e9 });
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', folder]);
  const lines: string[] = [];
  for (let number = 0; number < commits; number += 1) {
    const message = messageOf(number);
    const seconds = (start + number * stepMs) / 1000;
    const person = `Ada <ada@scm.example> ${seconds} +0000`;
    lines.push(`commit refs/heads/main\nmark :${number + 1}\nauthor ${person}\ncommitter ${person}`);
    lines.push(`data ${Buffer.byteLength(message)}\n${message}`, fileOf(number));
  }
  git(['fast-import', '--quiet'], `${lines.join('\n')}\n`);
  const shas = git(['rev-list', '--reverse', 'main']).trim().split('\n');
  for (const { fromTag, toTag, pulls } of ranges) {
    git(['tag', '--force', toTag, shas[commits - 1] as string]);
    git(['tag', '--force', fromTag, shas[commits - 1 - pulls] as string]);
  }
  return shas;
}

/** Makes the partition in `dataDir` from the commits of the git repository, then closes the partition. */
export async function writePartition(
  dataDir: string,
  shas: readonly string[],
  ranges: readonly BenchRange[],
): Promise<void> {
  const partition = openPartition(dataDir, partitionName);
  await partition.write(() => {
    writeRepository(partition, repository());
    for (const [number, sha] of shas.entries()) writeChange(partition, sha, shas[number - 1] ?? null, number);
    for (const range of ranges) writeBounds(partition, range, shas);
  });
  await partition.close();
}

/** Returns the folder of the git repository inside a data folder. */
export function gitFolder(dataDir: string): string {
  return join(dataDir, 'git');
}

function repository(): RepositoryRecord {
  return {
    id: repoId,
    origin,
    hostId: '1',
    fullName,
    formerNames: [],
    defaultBranch: 'main',
    url: `${origin}/${fullName}`,
    private: false,
    owner: { id: '1', login: 'acme' },
    createdAt: start,
    seenAt: start,
    revision: 1,
  };
}

function writeChange(partition: Partition, sha: string, before: string | null, number: number): void {
  const at = start + number * stepMs;
  const message = messageOf(number);
  const commit: CommitRecord = { sha, message, at, author: 'ada', coAuthors: [], pushes: [['main', sha]] };
  writeCommit(partition, repoId, commit);
  writePush(partition, repoId, {
    branch: 'main',
    before,
    after: sha,
    baseRef: null,
    shas: [sha],
    forced: false,
    gap: false,
    at,
  });
  if (number === 0) return;
  const pull = pullOf(number, sha, at);
  writePull(partition, repoId, pull, undefined);
  for (const issue of pull.linkedIssues) writeIssue(partition, repoId, issueOf(issue, at), undefined);
}

function pullOf(number: number, mergeSha: string, at: number): PullRecord {
  const body = bodyOf(number);
  return {
    number,
    title: subjectOf(number).replace(/ \(#\d+\)$/, ''),
    body,
    state: 'merged',
    labels: [`area: ${areas[number % areas.length]}`],
    author: { login: `user${number % 80}`, bot: false },
    createdAt: at - stepMs,
    updatedAt: at,
    closedAt: at,
    mergedAt: at,
    mergeSha,
    baseRef: 'main',
    headRef: `topic-${number}`,
    url: `${origin}/${fullName}/pull/${number}`,
    linkedIssues: linkedIssues(body, { fullName, formerNames: [], origin, ownNumber: number }),
    rank: 6,
  };
}

function issueOf(number: number, at: number): IssueRecord {
  return {
    number,
    title: `Part ${number} surprises me`,
    body: '',
    state: 'closed',
    stateReason: 'completed',
    labels: [],
    author: { login: 'rita', bot: false },
    createdAt: at - stepMs,
    updatedAt: at,
    closedAt: at,
    url: `${origin}/${fullName}/issues/${number}`,
    rank: 6,
  };
}

function writeBounds(partition: Partition, { id, fromTag, toTag, pulls }: BenchRange, shas: readonly string[]): void {
  const last = shas.length - 1;
  for (const [name, index] of [
    [fromTag, last - pulls],
    [toTag, last],
  ] as const) {
    const date = start + index * stepMs;
    const sha = shas[index] as string;
    writeTag(partition, repoId, { name, sha, tagObject: null, baseRef: 'main', date, pushedAt: date, deleted: false });
  }
  writeRange(partition, {
    id,
    repoId,
    bounds: { type: 'TAG_BASED', fromTag, toTag },
    prCount: pulls,
    issueCount: 0,
    resolution: 'commits',
    createdAt: start,
    updatedAt: start,
  });
}

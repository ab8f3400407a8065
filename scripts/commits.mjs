// Checks the subjects of the commits since the last release tag. If no release tag exists, it checks the commits that
// main does not have yet.
import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TYPES = ['feat', 'fix', 'perf', 'refactor', 'docs', 'test', 'build', 'ci', 'style', 'chore', 'revert'];
const MAX_LENGTH = 72;
const FORM = new RegExp(`^(?:${TYPES.join('|')})(?:\\([\\w./,-]+\\))?!?: (\\S.*)$`);
// Words that look like a past tense, a participle or a third person but are imperatives.
const IMPERATIVES = /^(?:embed|exceed|feed|need|proceed|seed|shed|speed|bring|ring|string|swing)$/;

/** Returns one text for each fault of a commit subject, or an empty list for a good subject. */
export function faultsOf(subject) {
  const faults = [];
  if (subject.length > MAX_LENGTH) faults.push(`it has ${subject.length} characters; the maximum is ${MAX_LENGTH}`);
  const text = FORM.exec(subject)?.[1];
  if (text === undefined) return [...faults, `expected "type(folder): text" with one of ${TYPES.join(', ')}`];
  const [first = ''] = text.split(/[\s,:]/);
  if (/^[A-Z][a-z]/.test(first)) faults.push(`expected a lower-case letter after the colon, got "${first}"`);
  const isInflected = /(?:ed|ing|[^s]s)$/.test(first) && !/(?:us|is|ess)$/.test(first);
  if (isInflected && !IMPERATIVES.test(first)) faults.push(`expected the imperative, such as "add", got "${first}"`);
  if (text.endsWith('.')) faults.push('expected no full stop at the end');
  return faults;
}

/**
 * Returns the commits to check, without merges: hash and subject of each. Returns undefined if git cannot list the
 * commits.
 */
export function commitsToCheck(root = ROOT) {
  const git = (...args) =>
    execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const attempt = (...args) => {
    try {
      return git(...args);
    } catch {
      return undefined;
    }
  };
  const base = attempt('describe', '--tags', '--abbrev=0', '--match', 'v*') ?? mainOf(attempt);
  if (base === undefined) return undefined;
  const lines = attempt('log', '--no-merges', '--format=%h %s', `${base}..HEAD`);
  return lines
    ?.split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.split(' ', 1)[0], line.replace(/^\S+ /, '')]);
}

function mainOf(attempt) {
  return ['origin/main', 'main'].find((name) => attempt('rev-parse', '--verify', '--quiet', `${name}^{commit}`));
}

function main() {
  const commits = commitsToCheck();
  if (!commits) return console.log('Found no git history, so no commit was checked.');
  const bad = commits.flatMap(([hash, subject]) =>
    faultsOf(subject).map((fault) => `✗ ${hash} ${subject}\n  ${fault}`),
  );
  for (const line of bad) console.error(line);
  if (bad.length > 0) process.exitCode = 1;
  else console.log(`Checked the subjects of ${commits.length} commits.`);
}

const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isProgram) main();

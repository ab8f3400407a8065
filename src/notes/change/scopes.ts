/**
 * Recognizes areas that only developers of a project see, such as `test` or `ci`, and areas of the documentation. Such
 * an area outweighs the kind that a prefix names: `fix(test): …` repairs nothing for users.
 */
import { plainWords } from './labels.ts';

const insideScopes = new Set(
  'test, tests, testing, e2e, e2e tests, unit tests, integration tests, test infra, ci, cd, ci cd, github actions, gh actions, workflow, workflows, actions, lint, linter, linters, linting, eslint, golangci lint, prettier, typecheck, bench, benches, benchmark, benchmarks, fixture, fixtures, mock, mocks, tooling, devtools, dev tools, dev env, devcontainer, scripts, tilt, tiltfile, makefile, release tooling, repo, codeowners, owners, editorconfig, gitignore, pre commit, husky, renovate, dependabot, codecov, coverage, storybook'.split(
    ', ',
  ),
);
const documentationScopes = new Set(
  'docs, doc, documentation, readme, book, website, guide, guides, tutorial, tutorials, changelog, contributing, examples, example, faq, wiki, typo, typos'.split(
    ', ',
  ),
);

/** Matches an area that needs no normalization. Most areas are such words. */
const plainWord = /^[a-z]+$/;

/** Whom an area concerns: `inside` for developers of the project, `documentation` for its readers, else undefined. */
export type ScopeMeaning = 'inside' | 'documentation';

/**
 * Returns the meaning of an area. In a path such as `test/e2e` or `docs/Reference`, the first part decides, and the
 * whole path may be listed too. A name such as `.github` is a file of the project.
 */
export function meaningOfScope(area: string): ScopeMeaning | undefined {
  if (plainWord.test(area)) return meaningOfWords(area);
  if (area.startsWith('.')) return 'inside';
  const [first = ''] = area.split('/');
  return meaningOfWords(plainWords(area)) ?? (first === area ? undefined : meaningOfWords(plainWords(first)));
}

/**
 * Returns the meaning that all areas of a change share. A change that also concerns another area is not inside work.
 */
export function sharedMeaning(areas: readonly string[]): ScopeMeaning | undefined {
  if (areas.length === 1) return meaningOfScope(areas[0] as string);
  const [first, ...rest] = areas.map(meaningOfScope);
  if (first === undefined || rest.includes(undefined)) return undefined;
  return rest.every((meaning) => meaning === first) ? first : 'inside';
}

function meaningOfWords(words: string): ScopeMeaning | undefined {
  if (insideScopes.has(words)) return 'inside';
  return documentationScopes.has(words) ? 'documentation' : undefined;
}

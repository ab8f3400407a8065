/**
 * Defines the vocabulary of title prefixes: words before a colon or in brackets, and the signs that some projects use
 * in place of words. `title.ts` finds the prefixes in a title.
 */
import type { ChangeType } from './labels.ts';

/** The meaning of a prefix. `plain` marks words that are removed and have no effect on the notes. */
export type Meaning = ChangeType | 'housekeeping' | 'revert' | 'dependency' | 'backport' | 'plain';

const meanings: Record<Meaning, string> = {
  breaking: 'breaking, breaking change, breaking changes, bc break, api break',
  feature: 'feat, feature, new feature, feature request, enhancement, add, added, new',
  fix: 'fix, fixes, fixed, bug, bugfix, bug fix, bug report, hotfix, regression',
  security: 'security',
  performance: 'perf, performance, optimization, optimisation',
  documentation: 'docs, doc, documentation, docs only, doc only',
  housekeeping:
    'chore, ci, cicd, test, tests, testing, refactor, refactoring, build, style, lint, cleanup, internal, maintenance, maint',
  revert: 'revert',
  dependency: 'deps, deps dev, dependencies, dependency, snyk, pre commit.ci',
  backport: 'backport, backported, cherry pick, cherry picked, cherrypick, auto cherrypick',
  plain:
    'release, wip, draft, rfc, poc, dnm, do not merge, mrg, misc, minor, major, patch, trivial, nit, improvement, improve, improved, change, changed, update, removed, deprecated, no issue, no jira, nojira, no ticket, question, proposal, maven release plugin',
};

const byWord = new Map(
  (Object.keys(meanings) as Meaning[]).flatMap((meaning) =>
    meanings[meaning].split(', ').map((word) => [word, meaning] as const),
  ),
);

/** Returns the meaning of one or more words. Case and the choice of blank, dash or underscore are ignored. */
export function meaningOf(word: string): Meaning | undefined {
  const known = byWord.get(word);
  if (known !== undefined || word.length > 24 || !/[A-Z\s_-]/.test(word)) return known;
  return byWord.get(
    word
      .toLowerCase()
      .replace(/[\s_-]+/g, ' ')
      .trim(),
  );
}

/**
 * The signs of each meaning. Each sign is listed as a character and as its short name, for example `✨` and
 * `:sparkles:`.
 */
const signs: readonly (readonly [Meaning, string])[] = [
  ['feature', '✨|:sparkles:'],
  ['fix', '🐛|:bug:|🚑|:ambulance:|🩹|:adhesive_bandage:'],
  ['breaking', '⚠|:warning:|💥|:boom:'],
  ['documentation', '📖|:book:|📝|:memo:|📚|:books:'],
  ['security', '🔒|:lock:'],
  ['performance', '⚡|:zap:|🐎|:racehorse:'],
  ['dependency', '⬆|:arrow_up:|⬇|:arrow_down:|📌|:pushpin:|➕|:heavy_plus_sign:|➖|:heavy_minus_sign:'],
  ['backport', '🍒|:cherries:'],
  ['revert', '⏪|:rewind:'],
  [
    'housekeeping',
    '🌱|:seedling:|♻|:recycle:|🏃|:running:|🎨|:art:|🔥|:fire:|✅|:white_check_mark:|🚨|:rotating_light:|🚧|:construction:|💚|:green_heart:|👷|:construction_worker:|🔧|:wrench:|🔨|:hammer:|🔀|:twisted_rightwards_arrows:|🚚|:truck:|💡|:bulb:|🙈|:see_no_evil:|📸|:camera_flash:|🧪|:test_tube:|🤡|:clown_face:|⚰|:coffin:|🧱|:bricks:',
  ],
];
const bySign = signs.map(([meaning, all]) => [new RegExp(`^(?:${all})\uFE0F?`, 'u'), meaning] as const);
/**
 * Matches a sign at the start of a title, if words follow the sign. This pattern is tried after the patterns in
 * `bySign`. A sign that only this pattern matches has no meaning and is removed.
 */
const decoration =
  /^(?:(?:\p{Extended_Pictographic}(?:\uFE0F|\u200D|\p{Emoji_Modifier}){0,3}){1,6}|:[a-z0-9_+-]{2,30}:(?= ))(?=.*[\p{L}\p{N}])/u;

/** Returns the length and meaning of the sign that a text begins with. */
export function signOf(text: string): { length: number; meaning: Meaning } | undefined {
  for (const [sign, meaning] of bySign) {
    const found = sign.exec(text)?.[0];
    if (found !== undefined) return { length: found.length, meaning };
  }
  const found = decoration.exec(text)?.[0];
  return found === undefined ? undefined : { length: found.length, meaning: 'plain' };
}

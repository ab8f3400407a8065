/**
 * Recognizes titles of changes that contain nothing of their own: releases, merges of one branch into another, other
 * routine work, and imports from translation services.
 */
import type { ParsedTitle } from './title.ts';

const version = String.raw`v?\d+\.\d[\w.+-]*`;
const named = String.raw`(?:@?[\w./-]{1,100}[@ ])?${version}`;
const releases = [
  `^(?:release[ds]?:? (?:candidate )?)?(?:@?[\\w./-]+@)?${version}$`,
  `^release[ds]?:? ${named}(?:(?:,|,? and| &) ${named}){0,9}$`,
  '^release(?:s|d)?(?: (?:main|master|next|please|packages?))?$',
  '^version (?:packages?|bump)(?: \\(.{1,40}\\))?$',
  `^bump(?:ed|s)? (?:the )?(?:package |project )?versions?(?: number)?:?(?: (?:to|from) .{1,60}| ${version}.{0,40})?$`,
  `^(?:bump(?:ed|s)?|cut|tag|publish) (?:release |to )?${version}$`,
  `^(?:post[- ]release )?(?:version )?bump (?:to )?${version}$`,
  `^(?:set|update|change) (?:the )?(?:package |project )?versions? (?:number )?to ${version}$`,
  `^prepare (?:for )?(?:the )?(?:release )?(?:[\\w-]{1,60}-)?${version}(?: release)?$`,
  `^prepare .{0,40}\\b(?:for|the) .{0,20}${version} (?:release|development)$`,
  '^prepare (?:for )?(?:the )?next (?:development iteration|release|version)$',
  `^(?:start|begin|open) (?:the )?${version} (?:development|dev)(?: cycle)?$`,
  `^(?:(?:update|add|prepare|generate|finali[sz]e|draft) )?(?:the )?(?:changelog|change log|release notes)(?:\\.md)? (?:for|to|of) (?:the )?(?:release )?${version}(?: release)?$`,
].map((pattern) => new RegExp(pattern, 'i'));
/**
 * Matches all release titles and few other titles. A release title begins with `bump`, `release` or the like, or
 * contains a dot between two digits.
 */
const releaseHint = /\d\.\d|^(?:bump|release|version|prepare|publish)/i;

const branch = String.raw`(?:main|master|develop|dev|trunk|next|staging|stable|production|release\S{0,60}|v?\d+(?:\.\w+)+)`;
const merges = [
  /^(?:auto(?:matic)?[ -]?)?(?:back-?)?merge (?:(?:remote-tracking )?branch(?:es)?\b|(?:pull request|PR) #\d|#\d|tag ['"v\d]|commit ['"0-9a-f]{7})/i,
  new RegExp(
    `^(?:(?:auto(?:matic)?[ -]?)?(?:back-?)?merge|sync|forward[- ]?port)(?: back)? ${branch}(?: (?:back )?(?:in)?to| with| from| up|$)`,
    'i',
  ),
  new RegExp(`^${branch} ?(?:to|into|->|→|=>) ?${branch}$`, 'i'),
  /^rollup of \d+ pull requests/i,
];
/** Matches all titles of such merges, and few other titles. */
const mergeHint = new RegExp(`^(?:auto|back|merge|sync|forward|rollup|${branch})`, 'i');
/** Matches routine titles that are also features of some products: `Add release notes`, `Allow workflows`. */
const chores = [
  /^(?:prepare|update|generate|draft|add|finali[sz]e|sync|refresh) (?:the )?(?:changelog|change log|changes\.md|release notes|news file)(?:\.md)?$/i,
  /^(?:approve|allow|run|re-?run|trigger) (?:the )?(?:ci |github )?(?:workflows?|ci|builds?)$/i,
  /^(?:git)?ignore (?:the )?[\w./*-]+\.\w{1,10}$/i,
  /^(?:bump|update|upgrade|refresh|sync) (?:all )?(?:the )?(?:dev |development |npm |go |minor |patch )?(?:dependencies|deps|lock ?files?|submodules?|vendor(?:ed)?(?: dependencies)?)$/i,
  /^(?:empty commit|trigger (?:ci|build)|re-?trigger (?:ci|build)|kick ci|initial commit)$/i,
];
/** Matches the steps of a release, which name a version or a branch. */
const steps = [
  new RegExp(`^prep(?:are)?(?: for)?(?: the)? (?:next )?(?:release|${version})(?: release)?$`, 'i'),
  new RegExp(
    `^prepare (?:the )?${branch}(?: branch)? for (?:the )?(?:next (?:release|version|cycle)|${version}).{0,30}$`,
    'i',
  ),
  new RegExp(`^(?:changelog|change log|release notes)(?: for)?(?: \`?${version}\`?)?$`, 'i'),
  new RegExp(`^(?:changelog|change log|release notes)(?: for)? \`?${version}\`? (?:fix(?:es)?|updates?)$`, 'i'),
  new RegExp(`^update (?:the )?release ${version}(?: (?:alpha|beta|rc|pre|preview)[ .-]?\\d{1,3})?$`, 'i'),
  new RegExp(
    `^(?:cherry[- ]?picks?|back-?ports?) (?:for|to|into|in) (?:the )?(?:release[-/ ]?)?${version}(?: release)?$`,
    'i',
  ),
];
/** Matches all titles of such chores and steps, and few other titles. */
const choreHint =
  /^(?:prep|update|generate|draft|add|finali|sync|refresh|change(?:log| log)|release|cherry|back|approve|allow|run|re-?run|trigger|(?:git)?ignore|bump|upgrade|empty|re-?trigger|kick|initial)/i;
const translations = [
  /\b(?:weblate|crowdin|transifex|translatewiki|lokalise|pontoon)\b/i,
  /^(?:automatic |weekly |nightly )?(?:translations?|locali[sz]ations?|l10n|i18n) (?:updates?|sync)\b/i,
  /^new translations /i,
];

/** Whether a pull request only makes or prepares a release. */
export function isRelease({ text, areas, looseArea }: ParsedTitle): boolean {
  if (/^publish$/i.test(text)) return areas.includes('release');
  if ((looseArea && areas.length > 0) || !releaseHint.test(text)) return false;
  return releases.some((pattern) => pattern.test(text));
}

/**
 * Whether a change is routine work that contains nothing of its own: a merge of branches, a step of a release, or an
 * entry in a list of ignored files. The changes of merged branches have pull requests of their own. A prefix such as
 * `feat:` or `fix:` outweighs the words, except for a step of a release.
 */
export function isRoutine({ text, areas, looseArea, type }: ParsedTitle): boolean {
  const isNamed = type !== null && type !== 'documentation';
  if (!isNamed && mergeHint.test(text) && merges.some((pattern) => pattern.test(text))) return true;
  if (!choreHint.test(text) || (looseArea && areas.length > 0)) return false;
  return steps.some((pattern) => pattern.test(text)) || (!isNamed && chores.some((pattern) => pattern.test(text)));
}

/** Whether a change only imports texts from a translation service. */
export function isTranslation({ text }: ParsedTitle): boolean {
  return translations.some((pattern) => pattern.test(text));
}

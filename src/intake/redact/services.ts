/**
 * Finds tokens of individual services by their prefix and the minimum length of the text after the prefix. `tokens.ts`
 * finds the tokens of hosts and of the most common services, and tokens that need further tests.
 */
import { charClass, type RunPattern, runEnd, runStart, type Span, searchRuns } from './scan.ts';
import { withWords, wordsIn } from './words.ts';

/**
 * Each shape matches only at the beginning of words. If further characters of the token follow the match, these
 * characters are removed too.
 */
const shapes = [
  'AAAAAAAAAAAAAAAAAAAA[\\w%]{40}',
  'AAAA[\\w-]{7}:APA91b[\\w-]{40}',
  'AKCp[A-Za-z0-9]{60}',
  'AT(?:ATT3|CTT3|BB)[\\w=-]{20}',
  'CCIP(?:AT|RJ)_[\\w-]{30}',
  'CLOJARS_[a-f0-9]{40}',
  'EAA[A-Za-z0-9]{60}',
  'EZ[AT]K[A-Za-z0-9]{40}',
  'GR1348941[\\w-]{16}',
  'HRKU-[\\w-]{30}',
  'LTAI[A-Za-z0-9]{16}',
  'NR(?:AK|II|AA|RA|AL)-[\\w-]{20}',
  'PMAK-[a-f0-9]{20}',
  'access-(?:production|development|sandbox)-[a-f0-9]{8}-[a-f0-9]{4}-',
  'bk(?:ua|at|ct)_[a-f0-9]{32}',
  'cmVmdGtu[A-Za-z0-9]{40}',
  'dapi[a-f0-9]{32}',
  'dckr_oat_[\\w-]{16}',
  'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{30}',
  'dt0[a-z]\\d\\d\\.[A-Z0-9]{20}',
  'duffel_(?:live|test)_[\\w-]{30}',
  'fig[douru]{1,2}_[\\w-]{36}',
  'fm[12]_[\\w+/=-]{40}',
  'glc_[\\w+/=-]{32}',
  'glsa_[A-Za-z0-9]{30}',
  'gsk_[A-Za-z0-9]{40}',
  'hooks\\.zapier\\.com/hooks/catch/\\d',
  'key-[a-f0-9]{32}',
  'lin_(?:api|oauth)_[A-Za-z0-9]{32}',
  'live_[a-f0-9]{35}',
  'nfp_[A-Za-z0-9]{30}',
  'ntn_[A-Za-z0-9]{40}',
  'ops_eyJ[\\w-]{40}',
  'oy2[a-z0-9]{43}',
  'p8e-[A-Za-z0-9]{32}',
  'pat-[a-z]{2}\\d-[a-f0-9]{8}-[a-f0-9]{4}-',
  'pat[A-Za-z0-9]{14}\\.[a-f0-9]{40}',
  'pnu_[A-Za-z0-9]{36}',
  'pplx-[A-Za-z0-9]{40}',
  'pscale_(?:tkn|pw|oauth)_[\\w.=-]{30}',
  'pul-[a-f0-9]{40}',
  'r8_[A-Za-z0-9]{30}',
  'rdme_[a-z0-9A-Z]{50}',
  'rubygems_[a-f0-9]{40}',
  'sbp_[a-f0-9]{40}',
  'sdk-[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[a-f0-9]{4}-',
  'secret_[A-Za-z0-9]{43}',
  'sgp_[A-Za-z0-9_]{40}',
  'sl\\.[\\w-]{100}',
  'sntry[su]_[\\w+/=-]{40}',
  'sq0(?:csp|atp|idp)-[\\w-]{20}',
  'sq[aup]_[a-f0-9]{40}',
  'test_[a-f0-9]{35}',
  'tfp_[\\w.=-]{40}',
  'tskey-(?:auth|api|client|scim|webhook)-[\\w-]{16}',
  'v1\\.0-[a-f0-9]{24}-[a-f0-9]{100}',
  'v1\\.[a-f0-9]{40}(?![A-Za-z0-9])',
  'webhook\\.office\\.com/webhookb2/[a-f0-9]{8}',
  'xai-[A-Za-z0-9]{60}',
  'xkeysib-[a-f0-9]{60}',
  'y[03]_[\\w-]{50}',
];

/** Shapes with a word that is not at their beginning, and their words. */
const innerWords: Readonly<Record<string, string>> = {
  '[a-f0-9](?=[a-f0-9]{31}-)[a-f0-9]{31}-us\\d\\d?(?!\\w)': '-us',
  '\\d(?=\\d{7,9}:A)\\d{7,9}:AA[\\w-]{33}': ':AA',
};
/** Shapes without a word of three characters. */
const wordless = ['SK[a-f0-9]{32}(?![A-Za-z0-9])', '[MNO][A-Za-z\\d_-]{22,27}\\.[\\w-]{6}\\.[\\w-]{27}'];

/**
 * Joins the shapes into one pattern, in groups by first character. The pattern is tried at every word of every text.
 * With groups, only the shapes that begin with the word's first character are tried.
 */
function inGroups(all: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const shape of all) {
    const first = shape.startsWith('[')
      ? shape.slice(0, shape.indexOf(']') + 1)
      : shape.slice(0, shape[0] === '\\' ? 2 : 1);
    groups.set(first, [...(groups.get(first) ?? []), shape.slice(first.length)]);
  }
  return [...groups].map(([first, rest]) => `${first}(?:${rest.join('|')})`).join('|');
}

/** Makes a pattern of shapes that match at the beginning of a word, and of `anywhere`, which matches everywhere. */
function join(all: readonly string[], anywhere: string): RegExp {
  return new RegExp(`(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))(?=[A-Za-z0-9])(?:${inGroups(all)})|${anywhere}`, 'g');
}

const atlas = '\\.atlasv1\\.[\\w-]{50}';
const azure = '\\dQ~[\\w~.-]{31}';
/** Tokens contain only characters of this class. The shortest token with a word has 20 characters. */
const kind = charClass(/[\w.~%+/=:-]/);
const withWord: RunPattern = { kind, min: 20, pattern: join([...shapes, ...Object.keys(innerWords)], atlas) };
const withoutWord: RunPattern = { kind, min: 34, pattern: join(wordless, azure) };
const tailChars = charClass(/[\w.~%+/=@-]/);
const headChars = charClass(/[\w~]/);

/** Finds the tokens that match one of the shapes with a word. */
export const findServiceTokens = withWords(
  [...[...shapes, atlas].flatMap(wordsIn), ...Object.values(innerWords)],
  (text) => findTokens(text, withWord),
);

/** Finds the tokens that match one of the shapes without a word. */
export function findWordlessTokens(text: string): Span[] {
  return findTokens(text, withoutWord);
}

function findTokens(text: string, tokens: RunPattern): Span[] {
  const spans: Span[] = [];
  searchRuns(text, tokens, ([match], at) => {
    let end = runEnd(tailChars, text, at + match.length);
    while (text[end - 1] === '.') end -= 1;
    const floor = Math.max(spans.at(-1)?.end ?? 0, at - 16);
    // Two shapes match only the middle of a token. For these shapes, the code searches back for the start of the token.
    const start = /^[.\d]/.test(match) ? runStart(headChars, text, at, floor) : at;
    spans.push({ start, end, word: '[secret]' });
    return end;
  });
  return spans;
}

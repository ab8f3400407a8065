/**
 * Finds disguised secrets and personal data. A disguise adds or replaces characters, so that a normal search finds no
 * match. Examples are invisible, wide or encoded characters, marks of Markdown or HTML within words, `[at]` and `[.]`.
 * The text around a disguise is converted to plain text as a reader sees it. The finders search the plain text. Each
 * match is mapped back to the characters of the original text.
 */
import { charClass, type Finder, findIn, isIn, type Span, wordChars } from './scan.ts';

/**
 * Parts of a text as a reader sees them. `starts` and `ends` give the offsets in the original text for each character
 * of `plain`.
 */
interface Reading {
  plain: string;
  starts: readonly number[];
  ends: readonly number[];
}

type Place = [start: number, end: number];

/** Number of characters that are read on either side of a disguise. Secrets and addresses are rarely longer. */
const around = 160;
/**
 * Maximum number of characters near disguises that are searched a second time. Without this maximum, a text full of
 * disguises would take twice the time.
 */
const maxRechecks = 4096;

const unseen = '\\u00ad\\u034f\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\ufeff';
/** Variants of plain letters, digits and signs: wide, small, circled, mathematical, Arabic, Devanagari. */
const standIn =
  '[\\u0660-\\u0669\\u06f0-\\u06f9\\u0966-\\u096f\\u2460-\\u2468\\u24b6-\\u24e9\\ufe52\\ufe6b\\uff0b\\uff0d\\uff0e' +
  '\\uff10-\\uff19\\uff20-\\uff3a\\uff3f\\uff41-\\uff5a]|\\ud835[\\udc00-\\udfff]';
const coded =
  '&(?:amp;)?(?:#\\d{2,7}|#x[\\da-f]{2,6}|commat|period|lowbar|colon|plus|equals|hyphen|dash|shy|zwj|zwnj);' +
  '|%(?:25)?(?!20)[2-7][\\da-f]|\\\\(?:u00|x)[2-7][\\da-f]';
const bracketed = '[[({<] ?(?:at|@|dot|\\.|:) ?[\\])}>]';
const tags = 'a|bd[io]|b|big|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|su[bp]|tt|u|var|wbr';
const mark = `[${unseen}]|\\\\[!-/:-@[-\`{-~]|\\*{1,3}|~~|\`{1,3}|[。｡]|</?(?:${tags})(?: [^<>\\n]{0,64})?/?>|<!--[^<>\\n-]{0,64}-->`;
const tight = '[A-Za-z0-9\\u00c0-\\u1fff\\u2c00-\\ud7ff@.+_:%#=-]';

/**
 * Matches a disguise. An invisible character or a mark of Markdown or HTML (`mark`) is a disguise only between two
 * other characters, as in `se**cr**et`. All other forms are disguises everywhere.
 */
const disguise = new RegExp(
  `${standIn}|${coded}|${bracketed}|(?<=${tight})(?:${mark}){1,4}(?=[&\\uff20]|${tight})`,
  'iy',
);
/** Each disguise begins with one of these ASCII characters, with U+00AD, or with a character from U+034F on. */
const beginnings = charClass(/[&%\\*~`<[({]/);
const unit = new RegExp(`${coded}|${standIn}|${bracketed} ?|${mark}`, 'giy');

/** Finds matches that contain a disguise. The matches are in order and do not overlap. */
export function findDisguised(text: string, finders: readonly Finder[]): Span[] {
  const reading = read(text, places(text));
  return reading.plain === '' ? [] : findIn(reading.plain, finders, (span) => inText(text, reading, span));
}

/**
 * Returns the parts of a text that contain a disguise. Each part includes the text around its disguise. The parts are
 * in order and do not overlap.
 */
function places(text: string): Place[] {
  const found: Place[] = [];
  let total = 0;
  for (let at = 0; at < text.length && total < maxRechecks; at += 1) {
    if (!mayBegin(text, at)) continue;
    disguise.lastIndex = at;
    // `test` is used instead of `exec`, because `exec` creates a match object for each of thousands of disguises. This
    // would take as long as the rest of the work.
    if (!disguise.test(text)) continue;
    const end = disguise.lastIndex;
    const last = found.at(-1);
    const from = Math.max(last?.[1] ?? 0, end - around);
    const to = Math.min(text.length, end + around);
    total += to - from;
    if (last?.[1] === from) last[1] = to;
    else found.push([from, to]);
    at = end - 1;
  }
  return found;
}

/** A fast check that skips most characters. The regular expression alone would take twice the time. */
function mayBegin(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? beginnings.ascii[code] === 1 : code === 0xad || code >= 0x34f;
}

/** Converts parts of a text to the characters that a reader sees, with a line end after each part. */
function read(text: string, parts: readonly Place[]): Reading {
  const [letters, starts, ends]: [string[], number[], number[]] = [[], [], []];
  const add = (letter: string, start: number, end: number): void => {
    letters.push(letter);
    starts.push(start);
    ends.push(end);
  };
  const drop = (): void => {
    for (const list of [letters, starts, ends]) list.pop();
  };
  for (const [from, to] of parts) {
    for (let at = from; at < to; ) {
      const end = unitEnd(text, at);
      const letter = end > at ? meaning(text.slice(at, end)) : undefined;
      if (letter === undefined) add(text[at] as string, at, at + 1);
      else {
        // A written-out sign, such as `[at]`, can have a space before it. The space is removed.
        if (letter !== '' && end - at > 2 && '[({<'.includes(text[at] as string) && letters.at(-1) === ' ') drop();
        if (letter !== '') add(letter, at, end);
      }
      at = letter === undefined ? at + 1 : end;
    }
    add('\n', to, to);
  }
  return { plain: letters.join(''), starts, ends };
}

/** Returns the end of the disguise at `at`; `at` itself when no disguise begins there. */
function unitEnd(text: string, at: number): number {
  if (isIn(wordChars, text, at)) return at;
  unit.lastIndex = at;
  return unit.test(text) ? unit.lastIndex : at;
}

const named: Readonly<Record<string, string>> = {
  commat: '@',
  period: '.',
  lowbar: '_',
  colon: ':',
  plus: '+',
  equals: '=',
  hyphen: '-',
  dash: '-',
  shy: '',
  zwj: '',
  zwnj: '',
};
const isUnseen = new RegExp(`^[${unseen}]$`);
/** The zeros of the digit sets that Unicode's NFKC form does not convert to ASCII. */
const zeros = [0x660, 0x6f0, 0x966];

/**
 * Returns the plain character that a disguise represents. Returns an empty text for an invisible character, and
 * undefined for a text that is not a disguise.
 */
function meaning(disguised: string): string | undefined {
  const first = disguised[0] as string;
  if (first === '&') return meaningOfEntity(disguised.replace(/^&(?:amp;)?/i, '').slice(0, -1));
  if (first === '%' || /^\\[ux]/i.test(disguised)) return String.fromCharCode(Number.parseInt(disguised.slice(-2), 16));
  if (first === '\\') return disguised[1];
  if ('[({'.includes(first) || /^<[ @.:]|^< ?(?:at|dot)\W/i.test(disguised)) return meaningOfBrackets(disguised);
  if (first === '。' || first === '｡') return '.';
  return first.charCodeAt(0) < 0x100 || isUnseen.test(first) ? '' : plainForm(disguised);
}

function meaningOfEntity(name: string): string | undefined {
  if (name[0] !== '#') return named[name.toLowerCase()];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  const letter = code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
  if (isUnseen.test(letter)) return '';
  return code > 0x20 && code < 0x7f ? letter : undefined;
}

function meaningOfBrackets(disguised: string): string {
  if (/[@a]/i.test(disguised)) return '@';
  return disguised.includes(':') ? ':' : '.';
}

/**
 * Returns the plain character for a wide or circled character, or for a digit of another script. Returns undefined for
 * a character that has no plain form.
 */
function plainForm(letter: string): string | undefined {
  const code = letter.codePointAt(0) as number;
  const zero = zeros.find((each) => code >= each && code < each + 10);
  if (zero !== undefined) return String(code - zero);
  const form = letter.normalize('NFKC');
  return /^[!-~]$/.test(form) ? form : undefined;
}

/**
 * Maps a match back to the original text. Returns undefined when the match contains no disguise, or spans two parts.
 */
function inText(text: string, { plain, starts, ends }: Reading, { start, end, word }: Span): Span | undefined {
  const [from, to] = [starts[start] as number, ends[end - 1] as number];
  const isWhole = !starts.slice(start, end).some((begin, i) => begin === ends[start + i]);
  const written = text.slice(from, to);
  if (!isWhole || written === plain.slice(start, end)) return undefined;
  // A pair of Markdown marks may enclose only a part of the match. One mark is then inside the match and the other mark
  // is outside. The mark outside is removed too.
  const [open] = /[*~`]{0,3}$/.exec(text.slice(Math.max(0, from - 3), from)) as RegExpExecArray;
  const [close] = /^[*~`]{0,3}/.exec(text.slice(to, to + 3)) as RegExpExecArray;
  return {
    start: written.includes(open) ? from - open.length : from,
    end: written.includes(close) ? to + close.length : to,
    word,
  };
}

/**
 * Generates texts that are slow to redact. The same seed gives the same text. The texts contain fragments of everything
 * that redaction searches for. The fragments are dense, mixed, broken, nested, in long runs or between letters of other
 * alphabets. Some secrets are planted in each text.
 */
import { kindsOf, type Planted, plant } from './planted-secrets.ts';
import { pick, type Random, randomText, seeded } from './random.ts';

/** Fragments that redaction searches for: prefixes that start a match, complete matches, and near misses. */
export const fragments: readonly string[] = [
  ...['+1', '+1 ', '+999 111 222 333 ', '+1 202 555 0117 ', '+49 30 1', '0049 30 23125038 ', '00 1', '＋1 2'],
  ...['202-555-0117 ', '(415) 555-0179 ', '01 ', '06 12 34 56 78 ', '(1', '555-01', '138 1234 ', '8 800 '],
  ...['call 1 ', 'call 555-0100 ', 'tel:1 ', 'phone: ', 'x12 ', '(12)99999999999999999999x ', '1-'],
  ...['4', '4111 ', '4111 1111 1111 1111 ', '4111-', '1234567890123 ', '9'],
  ...[
    'a@',
    'a.',
    'a.a@a.a ',
    'jo@example.org ',
    '"@aa.bb',
    '"a b"@',
    '%40',
    '&#64;',
    '&commat;',
    '漢@',
    '＠',
    '1%401.2.ab',
  ],
  ...['1.', '10.0.0.1 ', 'to 10.0.0.1 ', 'v1.2.3.4 ', 'version ', '1.1.1.1:', '>=1.1.1.1'],
  ...['1:', 'fe80::1 ', 'fe80::1%', '::', '1:2:3:4:5:6:7:8 ', 'a:b:c:d:', '::ffff:10.0.0.1 '],
  ...['-----BEGIN ', '-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----\nAAAA\n'],
  ...['=', '-', '_', '\\n', '\n', ' ', '\t', '"', "'", '`', '<', '>', '(', ')', '[', ']', '{', '|', ',', ';', '$', '*'],
  ...['0123456789abcdef', 'MIIEpAIBAAKCAQEA', 'AAAA', 'https://', 'https://a/', 'https://a:b@', '://', '://a:', '@h/'],
  ...['![a](', '[a](https://h', '/user-attachments/assets/', '/user-attachments/files/1/a.zip)', '/files/12345/a'],
  ...['/attachments/01234567-89ab-cdef-0123-456789abcdef', 'user-images.githubusercontent.com/', '/uploads/'],
  ...['eyJ', 'eyJaaaaaaaaaa-', 'eyJaaaaaaaaaa.', '.eyJaaaa', 'ghp_', 'ghp_aaaaaaaaaaaaaaaa', 'github_pat_', 'sk-'],
  ...['sk-aaaaaaaaaaaaaaaaaaaa', 'rn_live_', 'AKIA', 'AKIAAAAAAAAAAAAAAAAA ', 'xoxb-', 'AIza', 'SG.aaaaaaaaaaaaaaaa.'],
  ...['hooks.slack.com/services/', 'whsec_', 'npm_', 'pypi-', 'hf_', 'hvs.', 'glpat-', 'ya29.', 'AGE-SECRET-KEY-1'],
  ...[
    'token',
    'token=',
    'token: ',
    'token:a1',
    'TOKEN=',
    'TOKEN=abc ',
    'TOKEN="',
    'TOKEN_A',
    'SECRET_',
    'API_KEY=a1b2',
  ],
  ...['password is ', 'password: a1b2c3 ', 'pwd=a1b2c3d4;', '--token ', '--github-token a1b2c3d4 ', 'api key is '],
  ...['token 0123456789012345678901234567890123456789 ', 'is a1b2c3', 'secret', 'credential:', '=>', ':='],
  ...[
    'Authorization: ',
    'Authorization: Bearer ',
    'authorization=token ',
    'bearer ',
    'Bearer a1b2c3d4e5f6 ',
    'Basic dTpw',
  ],
  ...['x-by: <<<<<', 'x-by:a@b\n', 'x-by:<a@b>\n', 'Signed-off-by: x <a@b> \n', 'co-authored-by: <a@b>\n'],
  ...['Co-authored-by: a <1+a@users.noreply.github.com>\n', 'co-authored-by: a[a[a[a[a[', '-by:', 'a-b-c-'],
  ...['[email]', '[secret]', '[phone]', '[ip]', '[card]', '[attachment]'],
  ...['漢字', 'é', 'é', '\u{1f680}', '\u202e', '\u200d', '\ud800', '\u00a0', '\u2011', '\u0000', '\r\n'],
  ...[
    'fixes #1 ',
    '> ',
    '```\n',
    '- [x] ',
    '# ',
    'lorem ipsum dolor sit amet ',
    'The build of 2026-01-02 took 1.5 s. ',
  ],
];

/** Kinds of hostile texts. Each function returns a generator of the pieces of one text. */
const kinds: Record<string, (random: Random) => () => string> = {
  dense: (random) => {
    const fragment = pick(random, fragments);
    return () => fragment;
  },
  'few mixed': (random) => {
    const few = Array.from({ length: 2 + random(4) }, () => pick(random, fragments));
    return () => pick(random, few);
  },
  'all mixed': (random) => () => pick(random, fragments),
  cycle: (random) => {
    const few = Array.from({ length: 2 + random(5) }, () => pick(random, fragments));
    let at = 0;
    return () => few[at++ % few.length] as string;
  },
  'near misses': (random) => {
    const few = Array.from({ length: 1 + random(4) }, () => mutated(random, pick(random, fragments)));
    return () => pick(random, few);
  },
  nested: (random) => {
    const few = Array.from({ length: 1 + random(3) }, () => nested(random, 1 + random(4)));
    return () => pick(random, few);
  },
  'long runs': (random) => () => {
    const run = pick(random, [
      'a',
      '1',
      'a-',
      'a.',
      '1 ',
      '(',
      '=',
      '-',
      '_',
      '@',
      ':',
      '.',
      '/',
      'A1',
      '漢',
      ' ',
      '"',
    ]);
    return pick(random, fragments) + run.repeat(1 + random(2000));
  },
  'foreign letters': (random) => () =>
    random(3) === 0
      ? pick(random, fragments)
      : String.fromCodePoint(random(2) === 0 ? random(0x3000) : random(0x10ffff)),
  noise: (random) => () => randomText(random, 'aA0 \n@.:-+/=_"()<%[', 1 + random(40)),
};

/** A hostile text and the secrets planted in it. */
export interface HostileText {
  kind: string;
  text: string;
  planted: Planted[];
}

/**
 * Generates the hostile text of a seed. The seed selects the kind and the length; half of the texts have the maximum
 * length.
 */
export function hostileText(seed: number, scope: 'text' | 'comment', maxLength = 65_536): HostileText {
  const random = seeded(seed);
  const kind = pick(random, Object.keys(kinds));
  const planted = Array.from({ length: random(4) }, () => plant(pick(random, kindsOf(scope)), random));
  // Line breaks separate planted secrets from the text around them. Without line breaks, a planted number could be next
  // to a digit. Redaction does not have to remove the longer number that would result.
  const plants = planted.map(({ text }) => `\n${text}\n`);
  const room = Math.max(0, sizeOf(random, maxLength) - plants.join('').length);
  const text = fill(kinds[kind]?.(random) as () => string, room);
  return { kind, text: spliced(random, text, plants), planted };
}

function sizeOf(random: Random, max: number): number {
  return random(2) === 0 ? max : Math.floor(2 ** (random(1000) * (Math.log2(max) / 1000)));
}

function fill(next: () => string, length: number): string {
  const parts: string[] = [];
  for (let size = 0; size < length; ) {
    const part = next();
    parts.push(part);
    size += part.length;
  }
  return parts.join('').slice(0, length);
}

/**
 * Inserts the planted secrets at random places: at the start or end of the text, at the start of a line, or anywhere
 * else.
 */
function spliced(random: Random, text: string, plants: readonly string[]): string {
  const places = plants.map((plant) => {
    const at = pick(random, [0, text.length, random(text.length + 1), text.indexOf('\n') + 1]);
    return { at, plant };
  });
  let whole = '';
  let from = 0;
  for (const { at, plant } of places.sort((a, b) => a.at - b.at)) {
    whole += text.slice(from, at) + plant;
    from = at;
  }
  return whole + text.slice(from);
}

function mutated(random: Random, fragment: string): string {
  const at = random(fragment.length + 1);
  const insert = pick(random, ['', '', 'a', '1', ' ', '.', '-', '@', '\n', '漢']);
  return fragment.slice(0, at) + insert + fragment.slice(at + random(2)) || 'a';
}

function nested(random: Random, depth: number): string {
  if (depth === 0) return pick(random, fragments);
  const inner = nested(random, depth - 1);
  const [open, close] = pick(random, [
    ...([
      ['https://a:', '@h '],
      ['TOKEN="', '"'],
      ['x-by: <', '>\n'],
      ['![', '](https://h/user-attachments/assets/1)'],
    ] as const),
    ...([
      ['Authorization: Bearer ', ' '],
      ['"', '"@a.bc '],
      ['+1', ' '],
      ['token: ', ';'],
      ['', '@example.org'],
    ] as const),
  ]);
  return open + inner + close;
}

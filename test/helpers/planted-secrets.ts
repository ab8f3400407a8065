/**
 * Makes secrets and personal data that tests plant in texts. There is one generator for each kind that redaction
 * promises to remove. The secrets are generated from a seed, so no source file contains them. Therefore, if a search
 * finds the core of a secret in a file, redaction has failed there.
 */
import { hash } from 'node:crypto';
import { type Random, randomText } from './random.ts';

/**
 * A planted secret: the text to insert, and the core of this text. After redaction, the core must not be found
 * anywhere.
 */
export interface Planted {
  kind: string;
  text: string;
  core: string;
}

const mixed = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz0123456789';
const lower = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';

const word = (random: Random, length: number): string => `q${randomText(random, mixed, length - 2)}7`;
const token =
  (head: string, length: number) =>
  (random: Random): Omit<Planted, 'kind'> => {
    const core = word(random, length);
    return { text: head + core, core };
  };
const around =
  (before: string, after: string, length = 14) =>
  (random: Random): Omit<Planted, 'kind'> => {
    const core = word(random, length);
    return { text: before + core + after, core };
  };

/** Secrets that redaction removes from every text: titles, bodies, commit messages, names and comments. */
const secrets: Record<string, (random: Random) => Omit<Planted, 'kind'>> = {
  'personal token': token('ghp_', 36),
  'oauth token': token('gho_', 36),
  'user token': token('ghu_', 36),
  'server token': token('ghs_', 36),
  'refresh token': token('ghr_', 36),
  'fine-grained token': token('github_pat_', 60),
  'own key': token('rn_live_', 36),
  'payment key': token('sk_live_', 24),
  'model key': token('sk-', 40),
  'chat token': token('xoxb-', 30),
  'maps key': token('AIza', 35),
  'access key id': (random) => {
    const core = randomText(random, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16);
    return { text: `AKIA${core}`, core };
  },
  'web token': (random) => {
    const core = word(random, 24);
    return { text: `eyJhbGciOiJIUzI1NiJ9.eyJ${word(random, 20)}.${core}`, core };
  },
  'private key': (random) => {
    const core = randomText(random, mixed, 64);
    const [begin, end] = ['BEGIN', 'END'].map((edge) => `-----${edge} RSA PRIVATE${' '}KEY-----`);
    return { text: `${begin}\n${core}\n${core}\n${end}`, core };
  },
  'url password': around('https://deploy:', '@db.internal.example/x'),
  'authorization header': around('Authorization: Bearer ', ''),
  'dumped variable': around('DB_PASSWORD=', ''),
  cookie: around('Cookie: session=', ''),
  'service token': token('lin_api_', 40),
  'command line': around('curl -u deploy:', ''),
  setting: around('client_secret: "', '"'),
  'forge token': (random) => {
    const core = randomText(random, '0123456789abcdef', 40);
    return { text: `token ${core}`, core };
  },
  address: (random) => {
    const core = randomText(random, lower, 12);
    return { text: `${core}@mail.example.org`, core };
  },
  'noreply address': (random) => {
    const core = randomText(random, digits, 9);
    return { text: `${core}+jo@users.noreply.github.com`, core: `${core}+jo@` };
  },
  'co-author': (random) => {
    const core = randomText(random, lower, 12);
    return { text: `Co-authored-by: Jo Public <${core}@localhost>`, core };
  },
  'international phone': (random) => {
    const line = randomText(random, '23456789', 7);
    return { text: `+1 202 ${line.slice(0, 3)} ${line.slice(3)}`, core: `${line.slice(0, 3)} ${line.slice(3)}` };
  },
};

/** Personal data that redaction removes from comments, but not from other texts. */
const personal: Record<string, (random: Random) => Omit<Planted, 'kind'>> = {
  'national phone': (random) => {
    const line = randomText(random, '23456789', 4);
    return { text: `(415) 555-${line}`, core: `555-${line}` };
  },
  card: (random) => {
    const core = withLuhnDigit(`4${randomText(random, digits, 14)}`);
    return { text: core, core };
  },
  'network address': (random) => {
    const core = `10.${100 + random(100)}.${100 + random(100)}.${100 + random(100)}`;
    return { text: core, core };
  },
  'long network address': (random) => {
    const core = `fe80:${randomText(random, '123456789abcdef', 4)}::${randomText(random, '123456789abcdef', 4)}:1`;
    return { text: core, core };
  },
  attachment: (random) => {
    const id = hash('md5', word(random, 20)).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    return { text: `https://github.com/user-attachments/assets/${id}`, core: id };
  },
};

/** Returns the kinds of secrets that redaction removes in a scope. The scope is a comment or any other text. */
export function kindsOf(scope: 'text' | 'comment'): string[] {
  return Object.keys(scope === 'comment' ? { ...secrets, ...personal } : secrets);
}

/** Makes a secret of the given kind. */
export function plant(kind: string, random: Random): Planted {
  const make = secrets[kind] ?? personal[kind];
  if (!make) throw new Error(`there is no secret of kind ${kind}`);
  return { kind, ...make(random) };
}

function withLuhnDigit(number: string): string {
  let sum = 0;
  for (const [i, digit] of [...number].reverse().entries()) {
    const value = Number(digit) * (i % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return number + ((10 - (sum % 10)) % 10);
}

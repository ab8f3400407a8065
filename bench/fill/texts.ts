/**
 * Writes the texts of generated traffic: titles, descriptions, comments and commit messages. The lengths vary as real
 * texts do. Some texts contain addresses and links, so that redaction has the usual work.
 */

/** Returns a whole number from 0 to `below` - 1. */
export type Random = (below: number) => number;

/** Returns a generator of pseudo-random numbers (mulberry32). The same seed always gives the same numbers. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below) >>> 0;
  };
}

const kinds = ['feat', 'fix', 'fix', 'docs', 'chore', 'perf', 'refactor', 'test'];
const areas = ['api', 'core', 'ui', 'storage', 'search', 'cli', 'mobile', 'sync'];
const verbs = ['keep', 'send', 'close', 'cache', 'retry', 'check', 'show', 'sort', 'limit', 'batch', 'skip', 'store'];
const things = [
  'connections between uploads',
  'thumbnails of large albums',
  'the progress of an import',
  'results without a date',
  'requests that time out',
  'the order of search results',
  'tokens that have expired',
  'folders with many small files',
  'the language of a reader',
  'events that arrive twice',
];
const sentences = [
  'The queue held one connection for each file, so a folder of small files waited for handshakes most of the time.',
  'A connection that fails is closed, and its file goes to the front of the queue.',
  'The progress bar now counts bytes instead of files.',
  'The old code sorted the whole list again for every new entry, which took seconds for large albums.',
  'Readers on a slow network saw an empty page until the last image had arrived.',
  'The option `parallel-uploads` sets the number of connections; the default is four.',
  'This also removes two settings that nothing has read since the last release.',
  'Measured with 2,000 photos of 300 KB over a slow line: 11 min 20 s before, 3 min 5 s after.',
  'The test sends the same event twice and expects one row.',
  'Please look at the lock in `storage/index.ts` first, because the rest follows from it.',
];
const remarks = [
  'Looks good to me, thanks!',
  'Could you add a test for an empty folder? Otherwise fine.',
  'I can reproduce this with the nightly build on two machines. The log says `timeout after 30 s`, then nothing.',
  'Should this also hold for albums that were shared before the update?',
  'Rebased on main. The failing check is the one that fails everywhere today.',
  'This name says what the function does, but not why it is needed here. A sentence above it would help.',
  'You can reach me at reviewer@example.org if the trace is too long for a comment.',
];
const checklist =
  '\n\n### Checklist\n- [x] tests\n- [x] notes for administrators\n- [ ] translations\n\nSee https://git.example/design/uploads for the plan.\n';

export function titleText(random: Random): string {
  const subject = `${pick(verbs, random)} ${pick(things, random)}`;
  return `${pick(kinds, random)}(${pick(areas, random)}): ${subject}`;
}

/** Returns the description of a pull request or issue, with a link to the issue `closes` if it is given. */
export function bodyText(random: Random, closes: number | undefined): string {
  const text = Array.from({ length: 2 + random(8) }, () => pick(sentences, random)).join(' ');
  return `${text}${closes === undefined ? '' : `\n\nCloses #${closes}.`}${random(3) === 0 ? checklist : ''}`;
}

export function commentText(random: Random): string {
  return random(4) === 0 ? `${pick(remarks, random)}\n\n> ${pick(sentences, random)}` : pick(remarks, random);
}

/** Returns the message of a commit on a topic branch. */
export function commitText(random: Random): string {
  const subject = `${pick(verbs, random)} ${pick(things, random)}`;
  return random(2) === 0 ? subject : `${subject}\n\n${pick(sentences, random)}`;
}

export function pick<T>(list: readonly T[], random: Random): T {
  return list[random(list.length)] as T;
}

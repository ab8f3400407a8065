/** Contains the words for the fetching of history: kinds of data, states, and what to do after a failure. */
import type { Operations } from '../../sdk/index.ts';

export type Backfill = Operations['getBackfill']['reply'];

const kinds: Readonly<Record<string, string>> = {
  pulls: 'Pull requests',
  issues: 'Issues',
  tags: 'Tags',
  releases: 'Releases',
  commits: 'Commits',
  comments: 'Comments',
  issueComments: 'Comments',
  reviewComments: 'Comments on lines',
  reviews: 'Reviews',
};

/** Names a kind of data that is fetched. */
export function kindOfData(name: string): string {
  return kinds[name] ?? name;
}

/** Returns the numbers of items by kind, in the order in which they are fetched. */
export function countedKinds(counts: Backfill['counts']): [name: string, number: number][] {
  const known = Object.keys(kinds).filter((name) => Object.hasOwn(counts, name));
  const others = Object.keys(counts).filter((name) => !Object.hasOwn(kinds, name));
  return [...known, ...others].map((name) => [kindOfData(name), counts[name] ?? 0]);
}

/** Describes the progress in one line, such as `Fetching pull requests`. */
export function progressLine({ state, phase }: Pick<Backfill, 'state' | 'phase'>): string {
  if (state === 'completed') return 'The history is fetched';
  if (state === 'failed') return 'Fetching has failed';
  if (state === 'cancelled') return 'Fetching was cancelled';
  const what = phase === null ? 'history' : kindOfData(phase).toLowerCase();
  return state === 'waiting' ? `Waiting for the host, with ${what} next` : `Fetching ${what}`;
}

/** Says what to do after a failure. */
export function failureAdvice(error: string): string {
  const start = 'Then start again; data that is already here stays.';
  if (/permission|private key|installation|token for/i.test(error)) {
    return `Check what the credentials of the host may read (TIDINGS_HOST_TOKEN, or the app). ${start}`;
  }
  if (/does not exist|no access/i.test(error)) {
    return `Check that the repository is still on the host under this name, and that the credentials may see it. ${start}`;
  }
  if (/see its log/i.test(error)) return `Look into the log of the service. ${start}`;
  return `Remove the cause. ${start}`;
}

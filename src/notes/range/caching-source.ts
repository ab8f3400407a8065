/**
 * Makes a source that reads each record once. A draft uses the same pull requests, issues and commits in several steps.
 * Decoding a record costs more than all later work on the record. The cache is kept while one draft is made.
 */
import type { NotesSource } from './source.ts';

/** Returns a source that reads from the given source and keeps in memory the records that were read by key. */
export function cachingSource(source: NotesSource): NotesSource {
  const pull = once((number: number) => source.pull(number));
  const issue = once((number: number) => source.issue(number));
  const commit = once((sha: string) => source.commit(sha));
  const comments = once((number: number) => source.commentCount(number));
  return {
    repository: source.repository,
    settings: source.settings,
    tags: () => source.tags(),
    tag: (name) => source.tag(name),
    pull,
    issue,
    commit,
    comparison: (from, to) => source.comparison(from, to),
    push: (branch, after) => source.push(branch, after),
    head: (branch) => source.head(branch),
    creationsOf: (branch) => source.creationsOf(branch),
    // This function is called once per commit and is not cached. Keeping all results would cost more than reading a few
    // of them twice.
    pullsMergedAs: (sha) => source.pullsMergedAs(sha),
    firstPullBy: (login) => source.firstPullBy(login),
    pullsMergedBetween: (from, to) => source.pullsMergedBetween(from, to),
    pullsNumbered: (from, to) => source.pullsNumbered(from, to),
    commentCount: comments,
    commandComments: (number) => source.commandComments(number),
    issuesClosedBetween: (from, to) => source.issuesClosedBetween(from, to),
  };
}

/** Marks a key that was read and has no value. */
const nothing = Symbol('nothing');

/** Returns a function that reads each key once. Later calls with the key return the same result. */
export function once<Key, Value>(read: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value | typeof nothing>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found === nothing ? (undefined as Value) : (found as Value);
    const value = read(key);
    known.set(key, value === undefined ? nothing : value);
    return value;
  };
}

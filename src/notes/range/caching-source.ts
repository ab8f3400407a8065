/**
 * A source that reads each record once: a draft looks at the same pull requests, issues and commits from several sides, and
 * decoding a record costs more than all that is done with it. It lives as long as the making of one draft.
 */
import type { NotesSource } from './source.ts';

/** The same source, with what was asked by key kept. */
export function remember(source: NotesSource): NotesSource {
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
    // Asked once a commit: to keep the answers would cost more than a second reading of the few asked for again.
    pullsMergedAs: (sha) => source.pullsMergedAs(sha),
    firstPullBy: (login) => source.firstPullBy(login),
    pullsMergedBetween: (from, to) => source.pullsMergedBetween(from, to),
    pullsNumbered: (from, to) => source.pullsNumbered(from, to),
    commentCount: comments,
    issuesClosedBetween: (from, to) => source.issuesClosedBetween(from, to),
  };
}

/** Stands for what was read and is not there. */
const nothing = Symbol('nothing');

/** The same reading, done once for each key. */
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

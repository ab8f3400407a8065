/**
 * Defines the words and people of a change, whether a pull request or a commit without a pull request made it. The
 * rules for kinds and texts read only these fields.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { privateChange } from './advisories.ts';
import { wholeTitle } from './whole-title.ts';

/** The fields of a change that the notes read. Every captured pull request has them. */
export type ChangeRecord = Pick<
  PullRecord,
  'title' | 'body' | 'labels' | 'author' | 'mergedAt' | 'baseRef' | 'headRef' | 'url' | 'linkedIssues'
>;

/** Returns the change of a pull request. A title that was cut is completed from the body. */
export function changeOfPull(pull: PullRecord): ChangeRecord {
  const title = wholeTitle(pull.title, pull.body);
  return title === pull.title ? pull : { ...pull, title };
}

/**
 * Makes a change from a commit without a pull request. The subject is the title, and the rest of the message is the
 * body. In a merge from a private fork, the line after the subject is the title. A push that does not name the commit's
 * author gives an empty login, which credits no one.
 * @param repositoryUrl web address of the repository
 */
export function changeOfCommit({ sha, message, at, author }: CommitRecord, repositoryUrl: string): ChangeRecord {
  const end = message.search(/[\r\n]/);
  const merged = privateChange(message);
  return {
    title: merged ?? (end === -1 ? message : message.slice(0, end)).trim(),
    body: merged === undefined ? (end === -1 ? '' : message.slice(end).trim()) : message,
    labels: [],
    author: { login: author ?? '', bot: false },
    mergedAt: at,
    baseRef: null,
    headRef: null,
    url: `${repositoryUrl}/commit/${encodeURIComponent(sha)}`,
    linkedIssues: [],
  };
}

/**
 * Writes the comment of the service on a pull request. A pull request has one such comment, which is updated in place.
 * It is found again by its id. If the id is not known or the comment was deleted, it is found by its mark and its
 * author. The mark contains a secret digest, so no one else can write a comment that is taken for the first one.
 */
import type { Json, RepositoryApi } from './repository-api.ts';
import type { Written } from './verdicts.ts';

/** Maximum number of pages that are searched for the comment. */
const maxPages = 20;

/** A comment to write. */
export interface HostComment {
  /** Start of the comment. */
  mark: string;
  /** The whole comment, including its mark. */
  body: string;
  /** Id of the comment on the host, if an earlier write returned it. */
  id?: number | undefined;
  /** Id of the account that wrote it, if an earlier write returned it. A comment of another account is not taken. */
  author?: number | undefined;
}

/** The result of writing a comment, and the ids of the comment and of its author on the host. */
export interface WrittenComment {
  written: Written;
  id: number;
  author: number | undefined;
}

/**
 * Writes a comment, unless the host has it already.
 * @throws ServiceError `invalid` with the host's message when the host refuses the comment
 */
export async function writeComment(
  api: RepositoryApi,
  number: number,
  { mark, body, id, author }: HostComment,
): Promise<WrittenComment> {
  const own = (id !== undefined && (await readComment(api, id))) || (await findComment(api, number, mark, author));
  if (own && textOf(own).trim() === body.trim()) return { written: 'unchanged', ...idsOf(own) };
  const answer = own
    ? await api.write('PATCH', `issues/comments/${own.id}`, { body })
    : await api.write('POST', `issues/${number}/comments`, { body });
  const written = own ? 'updated' : 'created';
  if (answer.status < 300) return { written, ...idsOf(answer.data as Json) };
  throw api.refusal(answer, 'the comment');
}

/** Returns the comment with an id, or undefined if it was deleted. */
async function readComment(api: RepositoryApi, id: number): Promise<Json | undefined> {
  return (await api.read(`issues/comments/${id}`)) as Json | undefined;
}

/** Returns the oldest comment with the mark. Comments of other accounts than `author` are left out, if it is known. */
async function findComment(
  api: RepositoryApi,
  number: number,
  mark: string,
  author: number | undefined,
): Promise<Json | undefined> {
  for await (const comment of api.list(`issues/${number}/comments`, maxPages)) {
    const isOthers = author !== undefined && idsOf(comment).author !== author;
    if (textOf(comment).startsWith(mark) && Number.isInteger(comment.id) && !isOthers) return comment;
  }
  return undefined;
}

function idsOf({ id, user }: Json): Pick<WrittenComment, 'id' | 'author'> {
  const author = (user as Json | null | undefined)?.id;
  return { id: Number(id), author: typeof author === 'number' ? author : undefined };
}

function textOf({ body }: Json): string {
  return typeof body === 'string' ? body.replaceAll('\r\n', '\n') : '';
}

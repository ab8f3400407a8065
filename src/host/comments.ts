/**
 * Writes the comment of the service on a pull request. A pull request has one such comment, which is found again by its
 * mark and updated in place. The mark contains a secret digest, so no one else can write a comment that is taken for it.
 */
import type { Json, RepositoryApi } from './repository-api.ts';
import type { Written } from './verdicts.ts';

/** Maximum number of pages that are searched for the comment. */
const maxPages = 20;

/**
 * Writes a comment, unless the host has it already.
 * @param mark start of the comment
 * @param body the whole comment, including its mark
 * @throws ServiceError `invalid` with the host's message when the host refuses the comment
 */
export async function writeComment(
  api: RepositoryApi,
  number: number,
  { mark, body }: { mark: string; body: string },
): Promise<Written> {
  const own = await findComment(api, number, mark);
  if (own && textOf(own).trim() === body.trim()) return 'unchanged';
  const answer = own
    ? await api.write('PATCH', `issues/comments/${own.id}`, { body })
    : await api.write('POST', `issues/${number}/comments`, { body });
  if (answer.status < 300) return own ? 'updated' : 'created';
  throw api.refusal(answer, 'the comment');
}

/** Returns the oldest comment with the mark. */
async function findComment(api: RepositoryApi, number: number, mark: string): Promise<Json | undefined> {
  for await (const comment of api.list(`issues/${number}/comments`, maxPages))
    if (textOf(comment).startsWith(mark) && Number.isInteger(comment.id)) return comment;
  return undefined;
}

function textOf({ body }: Json): string {
  return typeof body === 'string' ? body.replaceAll('\r\n', '\n') : '';
}

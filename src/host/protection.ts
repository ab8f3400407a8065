/**
 * Recognizes replies of hosts that refuse a commit because the branch is protected. The status does not decide, because
 * GitHub sends 409 and Gitea sends 403 and 422 for other refusals too. The wording of the message decides.
 */
import { refusalText } from './repository-api.ts';
import type { Answer } from './retries.ts';

/** Statuses of replies that can report a protected branch. */
const statuses = [403, 409, 422];
/**
 * Messages of GitHub. A branch protection gives `Could not update file: Changes must be made through a pull request.`,
 * `At least 1 approving review is required by …`, `Required status check "ci" is expected.`, `2 of 2 required status
 * checks are expected.` or `You're not authorized to push to this branch.` A ruleset gives `Repository rule violations
 * found`, followed by the same sentences or by `Cannot update this protected ref.`
 */
const ofGitHub =
  /made through a pull request|approving review|required status checks?\b|not authorized to push to this branch|rule violations found|protected (?:branch|ref)\b/i;
/**
 * Messages of Gitea and Forgejo: the check of the request, the check of the commit, and the hook that receives the push.
 * Protected files are not among them, since Gitea refuses their change in a pull request too.
 */
const ofGitea = /permission to write to the target branch|user cannot commit to repo|push to protected branch/i;
/** Matches the refusal of a text that contains a secret. GitHub refuses such a text on every branch. */
const secret = /secret/i;

/** Whether a host refuses a commit because the branch is protected. */
export function isProtected(answer: Answer): boolean {
  if (!statuses.includes(answer.status)) return false;
  const words = refusalText(answer);
  return !secret.test(words) && (ofGitHub.test(words) || ofGitea.test(words));
}

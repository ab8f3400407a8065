/** Tests which refusals of hosts report a protected branch, with the messages that GitHub and Gitea send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProtected } from '../../../src/host/protection.ts';

function refusal(status: number, message: string, errors?: object[]): Parameters<typeof isProtected>[0] {
  return { status, headers: new Headers(), text: '', url: '', data: { message, errors } };
}

test('recognizes the refusals of a protected branch', () => {
  const refusals: [number, string][] = [
    [409, 'Could not update file: Changes must be made through a pull request.'],
    [409, 'Could not create file: Required status check "continuous-integration/travis-ci" is expected.'],
    [409, 'Could not update file: 6 of 6 required status checks are expected.'],
    [409, 'Could not update file: At least 1 approving review is required by reviewers with write access.'],
    [409, "Could not update file: You're not authorized to push to this branch."],
    [409, 'Repository rule violations found\n\nChanges must be made through a pull request.\n\n'],
    [422, 'Repository rule violations found\n\nCannot update this protected ref.\n\n'],
    [403, 'user should have a permission to write to the target branch'],
    [403, 'user cannot commit to repo [user: tidings]'],
    [403, 'Not allowed to push to protected branch main'],
  ];
  for (const [status, message] of refusals) assert.equal(isProtected(refusal(status, message)), true, message);
});

test('treats no other refusal as a protected branch', () => {
  const others: [number, string][] = [
    [409, 'CHANGELOG.md does not match 5717457c84de250e7d17c4714e1217d76b6dc123'],
    [409, 'Reference update failed'],
    [422, 'Invalid request.\n\n"sha" wasn\'t supplied.'],
    [422, 'sha does not match [given: a, expected: b]'],
    [422, 'repository file already exists [path: CHANGELOG.md]'],
    [409, 'Repository rule violations found\n\nSecret detected in content\n\n'],
    [403, 'Resource not accessible by integration'],
    [403, 'Resource not accessible by personal access token'],
    [403, 'path is protected and can not be changed [path: CHANGELOG.md]'],
    [403, 'branch main is protected from changing file CHANGELOG.md'],
    [404, 'Changes must be made through a pull request.'],
    [200, 'Changes must be made through a pull request.'],
  ];
  for (const [status, message] of others) assert.equal(isProtected(refusal(status, message)), false, message);
  assert.equal(isProtected({ ...refusal(403, ''), data: null }), false);
});

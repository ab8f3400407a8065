/**
 * Delivers a small history of the repository acme/rocket to a running service: four merged pull requests, an issue and
 * two tags.
 */
import assert from 'node:assert/strict';
import { issuePayload, pullPayload, pushPayload, shaOf, tagPayload } from './payloads.ts';
import type { Answer, TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

/** Delivers the history. Returns the id of the repository after everything has been folded. */
export async function deliverRocket(service: TestService): Promise<string> {
  const label = (name: string) => ({ labels: [{ name }] });
  const deliveries: [string, object][] = [
    ['pull_request', pullPayload(1, { title: 'First light' })],
    ['pull_request', pullPayload(2, { title: 'Faster start', ...label('type: feature') })],
    ['pull_request', pullPayload(3, { title: 'No more leaks', body: 'Fixes #5', ...label('type: bug') })],
    ['pull_request', pullPayload(4, { title: 'New fuel format', ...label('type: breaking') })],
    ['issues', issuePayload(5, { title: 'It leaks', closed_at: '2026-01-02T03:00:00Z' })],
    ['push', pushPayload([1], shaOf(0))],
    ['push', pushPayload([2, 3, 4], shaOf(1))],
    ['push', tagPayload('v1.0.0', 1)],
    ['push', tagPayload('v1.1.0', 4)],
  ];
  for (const [event, payload] of deliveries) await service.deliver(event, payload);
  const repoId: string = await waitUntil('the repository is listed', async () => {
    const { repos } = (await service.api('GET', '/api/repos')).body;
    return repos.find((repo: { fullName: string }) => repo.fullName === 'acme/rocket')?.id;
  });
  await waitUntil('both tags are listed', async () => {
    const { body } = await service.api('GET', `/api/repos/${repoId}/tags`);
    return body.total === 2;
  });
  return repoId;
}

/** Creates the range between the two tags. */
export function createTagRange(service: TestService, repoId: string, key?: string): Promise<Answer> {
  return service.api('POST', '/api/ranges', { repoId, type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.1.0' }, key);
}

/** Generates a draft and waits until it is ready. */
export async function generateDraft(
  service: TestService,
  rangeId: string,
  persona = 'engineer',
): Promise<Answer['body']> {
  const { status, body: ticket } = await service.api('POST', `/api/drafts/${rangeId}/generate`, { persona });
  assert.equal(status, 201, JSON.stringify(ticket));
  return waitUntil('the draft is ready', async () => {
    const { body } = await service.api('GET', `/api/drafts/${ticket.id}`);
    assert.notEqual(body.status, 'failed', JSON.stringify(body));
    return body.status === 'ready' && body;
  });
}

/** Waits until a publication has completed or failed, and returns it. */
export function publicationEnded(service: TestService, id: string): Promise<Answer['body']> {
  return waitUntil('the publication has ended', async () => {
    const { body } = await service.api('GET', `/api/publications/${id}`);
    return (body.status === 'completed' || body.status === 'failed') && body;
  });
}

/**
 * Returns the final answer to a publish request. The first answer can have the status `processing`, because publishing
 * can take longer than the request waits.
 */
export async function toEnd(service: TestService, asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  if (answer.body.status !== 'processing') return answer;
  return { ...answer, body: await publicationEnded(service, answer.body.id) };
}

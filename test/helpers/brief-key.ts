/**
 * A key that will have expired in a moment, for tests of what is said then.
 */
import assert from 'node:assert/strict';
import type { Answer, TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

/**
 * Makes a key that works, and waits until it has expired. On a busy machine its time can be over before it was used: then
 * another one is made, with twice the time.
 * @param fields of the key besides its name
 * @param maker the key that makes it
 * @param meanwhile what is done with the key while it works
 * @returns what the making of the key was answered
 */
export async function expiredKey(
  service: TestService,
  fields: object,
  maker?: string,
  meanwhile: (key: string) => Promise<void> = async () => {},
): Promise<Answer['body']> {
  for (let ms = 1000; ; ms *= 2) {
    const expiresAt = new Date(Date.now() + ms).toISOString();
    const { status, body } = await service.api('POST', '/api/keys', { name: 'brief', ...fields, expiresAt }, maker);
    if (status === 201) await meanwhile(body.key);
    const use = async () => (await service.api('GET', '/api/repos', undefined, body.key)).status;
    const used = status === 201 ? await use() : status;
    if (used === 200) {
      await waitUntil('the key has expired', async () => (await use()) === 401);
      assert.ok(Date.now() >= Date.parse(expiresAt), 'it works until then');
      return body;
    }
    assert.ok(Date.now() >= Date.parse(expiresAt), `answered ${used} before it expired`);
  }
}

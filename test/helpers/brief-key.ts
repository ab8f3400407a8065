/** Makes an API key that expires within seconds, so that tests can check the replies to an expired key. */
import assert from 'node:assert/strict';
import type { Answer, TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

/**
 * Makes a key that works, and waits until the key has expired. On a busy machine the key can expire before its first
 * use. In that case, the function makes another key with twice the lifetime.
 * @param fields fields of the new key besides its name
 * @param maker the key that authorizes the request; the admin key when omitted
 * @param meanwhile called with the new key before it expires
 * @returns the reply to the request that made the new key
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

/**
 * Runs the built client in a separate realm that has web globals only. Usage: `node --experimental-vm-modules
 * web-realm.js FOLDER INPUT`. No service is needed, because `strictFetch` replies to the requests. Prints the outcome
 * as JSON.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';

const [folder = '', input = '{}'] = process.argv.slice(2);

/**
 * Throws the same errors as `fetch` in browsers and Workers. If the call is correct, replies with a list of one
 * repository.
 */
function strictFetch(this: unknown, _url: string, init: RequestInit): Promise<Response> {
  if (this !== undefined) throw new TypeError('Illegal invocation');
  if (init.redirect === 'error') throw new TypeError('Invalid redirect value');
  realm.sent = { redirect: init.redirect, key: new Headers(init.headers).get('idempotency-key') };
  const page = { repos: [{ fullName: 'acme/rocket' }], total: 1, hasMore: false, nextOffset: null };
  return Promise.resolve(new Response(JSON.stringify(page), { headers: { 'content-type': 'application/json' } }));
}

const web = {
  AbortController,
  AbortSignal,
  atob,
  btoa,
  clearTimeout,
  crypto,
  Headers,
  Response,
  setTimeout,
  TextDecoder,
};
const realm: Record<string, unknown> = vm.createContext({
  ...{ ...web, TextEncoder, URLSearchParams, fetch: strictFetch },
  input: JSON.parse(input),
});

const modules = new Map<string, vm.Module>();

function load(name: string): vm.Module {
  const known = modules.get(name);
  if (known) return known;
  const made = new vm.SourceTextModule(readFileSync(join(folder, name), 'utf8'), { context: realm, identifier: name });
  modules.set(name, made);
  return made;
}

const program = new vm.SourceTextModule(
  `import { createClient, verifyWebhook } from './index.js';
  const { body, headers, secret } = input;
  const client = createClient({ url: 'https://notes.example', key: 'k' });
  const event = await verifyWebhook(new TextEncoder().encode(body), headers, secret);
  const changed = await verifyWebhook(body + ' ', new Headers(headers), secret).catch((error) => error.fault);
  const repositories = [];
  for await (const { fullName } of client.each('listRepositories', {})) repositories.push(fullName);
  await client.createRange({ repoId: 'r', type: 'TAG_BASED', fromTag: 'a', toTag: 'b' });
  const { redirect, key: idempotencyKey } = sent;
  const missing = ['Buffer', 'process', 'require', 'setImmediate'].filter((name) => !(name in globalThis));
  globalThis.outcome = { event, changed, repositories, redirect, idempotencyKey, missing };`,
  { context: realm },
);
await program.link((specifier) => load(specifier.replace('./', '')));
await program.evaluate();
process.stdout.write(JSON.stringify(realm.outcome));

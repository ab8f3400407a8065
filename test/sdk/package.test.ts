/**
 * Tests the client package: it installs offline, runs and has types, and the examples of all guides compile with these
 * types.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { operations } from '../../sdk/operations.ts';
import { temporaryFolder } from '../helpers/ports.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const archive = join(root, 'dist/client/tidings-client.tgz');
const typescript = join(root, 'node_modules/typescript/bin/tsc');
const npmOptions = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier'];

/** Makes a new project with the package installed. Returns its folder. */
function consumer(t: TestContext): string {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  execFileSync('npm', ['install', archive, ...npmOptions], { cwd: folder, stdio: 'pipe' });
  return folder;
}

/** Compiles the files of a project. Returns the compiler's output, which is empty if there are no errors. */
function typeErrors(folder: string, options: object): string {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2023',
    skipLibCheck: false,
    ...options,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.js'] }));
  try {
    execFileSync(process.execPath, [typescript, '-p', folder], { encoding: 'utf8', stdio: 'pipe' });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

function addTypesOfNode(folder: string): void {
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of ['@types/node', 'undici-types']) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
}

/** Returns all code blocks of a guide that are in the given language. */
function blocks(path: string, language: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    (match) => match[1] as string,
  );
}

test('the package installs offline, without dependencies, and runs', (t) => {
  const folder = consumer(t);
  const program = `import * as client from '@tidings/client';
    const made = client.createClient({ url: 'http://127.0.0.1:1', key: 'k' });
    const fault = await client.verifyWebhook('{}', {}, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').catch((error) => error.fault);
    console.log(JSON.stringify([Object.keys(made).sort(), fault]));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: folder,
    encoding: 'utf8',
  });
  const expected = [...Object.keys(operations), 'each', 'events', 'waitForDraft'].sort();
  assert.deepEqual(JSON.parse(output), [expected, 'missingHeader']);
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  assert.deepEqual(Object.keys(lock.packages), ['', 'node_modules/@tidings/client']);
});

test('the package needs no types of Node, and the event determines the type of a webhook', (t) => {
  const folder = consumer(t);
  const program = (access: string) => `import { verifyWebhook, type WebhookEvent } from '@tidings/client';
    export async function read(body: Uint8Array, headers: Headers): Promise<unknown> {
      const webhook: WebhookEvent = await verifyWebhook(body, headers, 'whsec_');
      if (webhook.event === 'draft.published') return webhook.data.${access};
      if (webhook.event === 'range.created') return webhook.data.prCount + webhook.data.issueCount;
      if (webhook.event === 'endpoint.test') return webhook.data.endpointId.length;
      if (webhook.event === 'range.changed') return webhook.data.after.prCount - webhook.data.before.prCount;
      if (webhook.event === 'backfill.completed') return webhook.data.status === 'failed' && webhook.data.error;
      if (webhook.event === 'repository.connected' || webhook.event === 'repository.disconnected')
        return webhook.data.cause === 'delivery' ? webhook.data.fullName : webhook.data.repoId;
      if (webhook.event === 'publication.failed') return webhook.data.replacedBy ?? webhook.data.error;
      return webhook.data.persona === 'customer' ? webhook.data.draftId : webhook.data.releaseRangeId;
    }`;
  const options = { lib: ['es2023', 'dom'], types: [] };
  writeFileSync(join(folder, 'index.ts'), program('url?.length'));
  assert.equal(typeErrors(folder, options), '');
  writeFileSync(join(folder, 'index.ts'), program('prCount'));
  assert.match(typeErrors(folder, options), /Property 'prCount' does not exist/);
});

test('the examples of the guides compile with the types of the package', (t) => {
  const folder = consumer(t);
  addTypesOfNode(folder);
  for (const [i, text] of blocks('sdk/README.md', 'ts').entries()) writeFileSync(join(folder, `readme-${i}.ts`), text);
  assert.equal(typeErrors(folder, { types: ['node'] }), '');
  writeFileSync(join(folder, 'readme-0.ts'), `${blocks('sdk/README.md', 'ts')[0]}\nclient.listRepositorys();\n`);
  assert.match(typeErrors(folder, { types: ['node'] }), /listRepositorys/, 'a mistake is found');
});

test('the JavaScript examples compile with the types of the package', (t) => {
  const folder = consumer(t);
  addTypesOfNode(folder);
  const guide = blocks('docs/api.md', 'js').join('\n');
  assert.match(guide, /createClient/);
  writeFileSync(join(folder, 'guide.js'), guide);
  for (const [i, text] of blocks('docs/webhooks.md', 'js').entries())
    writeFileSync(join(folder, `webhooks-${i}.js`), text);
  // Examples in JavaScript do not check for undefined.
  const options = { types: ['node'], allowJs: true, checkJs: true, strictNullChecks: false };
  assert.equal(typeErrors(folder, options), '');
});

test('packing the same sources again gives the same bytes', (t) => {
  const folder = temporaryFolder(t);
  const options = ['--pack-destination', folder, '--silent', ...npmOptions];
  execFileSync('npm', ['pack', join(root, 'dist/client'), ...options], { stdio: 'pipe' });
  const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  assert.equal(digest(join(folder, 'tidings-client-0.1.0.tgz')), digest(archive));
});

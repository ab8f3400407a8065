/**
 * Starts reverse proxies for tests: nginx and Caddy with the example configurations from docs/operations.md, on the
 * test's own ports.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { afterwards, kill } from './cleanup.ts';
import { freePort, temporaryFolder } from './ports.ts';
import { waitUntil } from './wait-until.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The addresses of a running proxy. */
export interface ReverseProxy {
  url: string;
  /** An address that redirects to `url`; undefined when the proxy has none. */
  plainUrl?: string;
}

/** A reply as it was received. */
export interface ProxyReply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Returns the example configuration between its two markers in docs/operations.md. */
export function exampleOf(name: 'nginx' | 'caddy'): string {
  const document = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const [, example] =
    new RegExp(`<!-- ${name}:start -->\n\`\`\`${name}\n([\\s\\S]*?)\`\`\`\n<!-- ${name}:end -->`).exec(document) ?? [];
  if (example === undefined) throw new Error(`docs/operations.md has no example of ${name}`);
  return example;
}

/** Returns the reason why a program cannot be used on this machine; false when it can be used. */
export function missing(program: string, flag: string): string | false {
  return spawnSync(program, [flag]).status === 0 ? false : `${program} is not installed`;
}

/** Replaces parts of a text. Throws when the text does not contain one of the parts. */
function replaced(text: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((whole, [from, to]) => {
    if (!whole.includes(from)) throw new Error(`the example has no ${from}`);
    return whole.replaceAll(from, to);
  }, text);
}

/** Starts nginx with the example configuration, but with a test certificate and other ports. */
export async function startNginx(t: TestContext, upstreamPort: string): Promise<ReverseProxy> {
  const folder = temporaryFolder(t);
  const [port, plainPort] = [await freePort(), await freePort()];
  const fixture = (name: string): string => join(root, 'test/fixtures', name);
  const site = replaced(exampleOf('nginx'), {
    '127.0.0.1:8080': `127.0.0.1:${upstreamPort}`,
    'listen 80;': `listen 127.0.0.1:${plainPort};`,
    'listen 443 ssl;': `listen 127.0.0.1:${port} ssl;`,
    '/etc/ssl/tidings.example.com.pem': fixture('localhost-cert.pem'),
    '/etc/ssl/tidings.example.com.key': fixture('localhost-key.pem'),
  });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const config = join(folder, 'nginx.conf');
  const lines = [
    // If nginx is started as root, its workers run as another user by default. That user cannot enter the temporary
    // folder.
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'daemon off;',
    'worker_processes 1;',
    `pid ${join(folder, 'nginx.pid')};`,
    'error_log stderr;',
    'events {}',
    `http { access_log off; ${temporary.join(' ')} include ${join(folder, 'site.conf')}; }`,
  ];
  writeFileSync(join(folder, 'site.conf'), site);
  writeFileSync(config, `${lines.join('\n')}\n`);
  const child = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  // If the main process is killed, its worker continues to run. SIGTERM ends both.
  afterwards(t, () => stop(child));
  const proxy = { url: `https://127.0.0.1:${port}`, plainUrl: `http://127.0.0.1:${plainPort}` };
  return listening('nginx', child, proxy);
}

/** Starts Caddy with the example configuration, but without TLS and on another port. */
export async function startCaddy(t: TestContext, upstreamPort: string): Promise<ReverseProxy> {
  const folder = temporaryFolder(t);
  const url = `http://127.0.0.1:${await freePort()}`;
  const parts = { 'tidings.example.com': url, '127.0.0.1:8080': `127.0.0.1:${upstreamPort}` };
  const config = join(folder, 'Caddyfile');
  writeFileSync(config, `{\n\tadmin off\n}\n${replaced(exampleOf('caddy'), parts)}`);
  const env = { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  afterwards(t, () => stop(child));
  return listening('caddy', child, { url });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const late = setTimeout(() => void kill(child), 20_000);
  await ended;
  clearTimeout(late);
}

async function listening(name: string, child: ChildProcess, proxy: ReverseProxy): Promise<ReverseProxy> {
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
  });
  await waitUntil(`${name} listens`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}\n${log}`);
    return send(`${proxy.url}/`).then(
      () => true,
      () => false,
    );
  });
  return proxy;
}

/**
 * Sends a request without changes. It follows no redirects and checks no certificate. With `chunked`, the body is sent
 * without a Content-Length.
 */
export function send(
  url: string,
  { body, chunked = false, ...options }: RequestOptions & { body?: string | Buffer; chunked?: boolean } = {},
): Promise<ProxyReply> {
  return new Promise((resolve, reject) => {
    const start = url.startsWith('https:') ? requestHttps : requestHttp;
    const length = body === undefined || chunked ? {} : { 'content-length': Buffer.byteLength(body) };
    const headers = { ...(options.headers as Record<string, string>), ...length };
    const sent = start(url, { ...options, headers, agent: false, ...{ rejectUnauthorized: false } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
      response.once('error', reject);
    });
    sent.once('error', reject);
    if (chunked) sent.flushHeaders();
    sent.end(body);
  });
}

/** Opens a reply that does not end. Calls `onText` with everything that has arrived so far. Returns what closes it. */
export function sendForStream(
  url: string,
  headers: Record<string, string>,
  onText: (text: string) => void,
): () => void {
  const start = url.startsWith('https:') ? requestHttps : requestHttp;
  const sent = start(url, { headers, agent: false, ...{ rejectUnauthorized: false } }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      onText(text);
    });
    response.on('error', () => {});
  });
  sent.on('error', () => {});
  sent.end();
  return () => sent.destroy();
}

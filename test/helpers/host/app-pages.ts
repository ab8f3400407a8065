/**
 * Simulates the pages on which a host creates an app from a manifest: a form arrives, a person confirms, and the browser
 * returns with a code. The pages have the name `localhost`, so a service at 127.0.0.1 is another site for browsers.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { afterwards } from '../cleanup.ts';
import type { Reply, TestApp } from './app.ts';
import type { Shape } from './shapes.ts';

/** A manifest that a browser has posted, and the path that it was posted to. */
interface Posted {
  path: string;
  manifest: Shape;
}

export class AppPages {
  readonly posted: Posted[] = [];
  /** The codes that the service has sent for exchange, in order. */
  readonly exchanged: string[] = [];
  readonly webhookSecret = randomBytes(20).toString('hex');
  readonly clientSecret = randomBytes(20).toString('hex');
  /** Code that the host issues next. */
  readonly code = randomBytes(20).toString('hex');
  private readonly app: TestApp;
  private readonly server = createServer((request, response) => this.receive(request, response));

  constructor(app: TestApp) {
    this.app = app;
  }

  /** Starts the pages. They stop when the test ends. */
  static async start(t: TestContext, app: TestApp): Promise<AppPages> {
    const pages = new AppPages(app);
    await new Promise<void>((resolve) => pages.server.listen(0, '127.0.0.1', resolve));
    afterwards(t, () => {
      pages.server.closeAllConnections();
      pages.server.close();
    });
    return pages;
  }

  get origin(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  /** Answers the exchange of a code. As on a real host, a code works once. */
  convert(code: string): Reply {
    const isFirst = !this.exchanged.includes(code);
    this.exchanged.push(code);
    if (code !== this.code || !isFirst) return { status: 404, body: { message: 'Not Found' } };
    const name = String(this.posted.at(-1)?.manifest.name);
    const known = { id: Number(this.app.id), slug: 'tidings-test', name };
    const secrets = { pem: this.app.key, webhook_secret: this.webhookSecret, client_secret: this.clientSecret };
    return { status: 201, body: { ...known, html_url: `${this.origin}/github-apps/tidings-test`, ...secrets } };
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', this.origin);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
      if (request.method === 'POST' && /\/settings\/apps\/new$/.test(url.pathname)) this.confirm(url, form, response);
      else if (request.method === 'POST' && url.pathname === '/confirm') this.redirect(form, response);
      else response.writeHead(404).end();
    });
  }

  /** Shows the page on which a person confirms. */
  private confirm(url: URL, form: URLSearchParams, response: ServerResponse): void {
    this.posted.push({ path: url.pathname, manifest: JSON.parse(form.get('manifest') ?? '') });
    const state = (url.searchParams.get('state') ?? '').replaceAll('"', '');
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><html lang="en"><title>Host</title><link rel="icon" href="data:,"><form method="post" action="/confirm"><input type="hidden" name="state" value="${state}"><button>Create GitHub App</button></form>`,
    );
  }

  private redirect(form: URLSearchParams, response: ServerResponse): void {
    const target = new URL(String(this.posted.at(-1)?.manifest.redirect_url));
    target.searchParams.set('code', this.code);
    target.searchParams.set('state', form.get('state') ?? '');
    response.writeHead(302, { location: target.href }).end();
  }
}

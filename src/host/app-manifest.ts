/**
 * Exchanges the code that a host returns after an app was created from a manifest. The reply contains the secrets of
 * the app, so no error contains any part of it.
 */
import type { Host } from '../../config/hosts.ts';
import { ServiceError } from '../foundation/errors.ts';
import { privateKeyIn } from './credentials.ts';
import { exchange, type HttpAnswer } from './exchange.ts';
import { reasonOf } from './probe.ts';

/** An app as its host has made it, with its secrets in clear. */
export interface MadeApp {
  id: string;
  slug: string;
  name: string;
  /** Page of the app on its host. */
  url: string;
  /** Private key in PEM form. */
  key: string;
  webhookSecret: string;
}

/** Advice about an app that exists on the host, but whose secrets are lost. */
const remedy = 'If the app exists on the host, delete it there. Then begin again.';

/**
 * Exchanges a code. The request is sent once, because a host accepts a code once.
 * @throws ServiceError `invalid` when the host refuses the code; `conflict` when the outcome is not known, or the reply
 *   cannot be used
 */
export async function convertManifest(host: Host, code: string, timeoutMs: number): Promise<MadeApp> {
  const url = `${host.apiUrl}/app-manifests/${encodeURIComponent(code)}/conversions`;
  const headers = {
    accept: 'application/vnd.github+json',
    'user-agent': 'tidings',
    'x-github-api-version': '2022-11-28',
  };
  let answer: HttpAnswer;
  try {
    answer = await exchange({ url, method: 'POST', headers, timeoutMs, signal: undefined });
  } catch (error) {
    // The message of a redirect names the host only. Other messages are replaced by their codes.
    if (error instanceof ServiceError) throw new ServiceError('conflict', `${error.message} ${remedy}`);
    throw new ServiceError('conflict', `${host.origin} did not answer (${codeOf(error)}). ${remedy}`);
  }
  const { status, text } = answer;
  if (status === 404 || status === 422) {
    const details = { code: `expected a code that ${host.origin} has just issued; it answers ${status}` };
    const message = 'The host does not accept the code. A code is valid for one hour and works once. Begin again.';
    throw new ServiceError('invalid', `${message} code: ${details.code}`, { details });
  }
  const made = status === 201 ? appIn(text, host) : undefined;
  if (made) return made;
  const what = status === 201 ? 'with an app that cannot be used' : String(status);
  throw new ServiceError('conflict', `${host.origin} answers the exchange of the code ${what}. ${remedy}`);
}

function codeOf(error: unknown): string {
  const reason = reasonOf(error);
  return /^[A-Z][A-Z0-9_]{1,63}$/.test(reason) ? reason : 'no answer in time';
}

function appIn(text: string, { origin }: Host): MadeApp | undefined {
  const { id, slug, name, html_url, pem, webhook_secret } = parse(text);
  if (!Number.isSafeInteger(id) || typeof slug !== 'string' || !/^[\w-]{1,100}$/.test(slug)) return undefined;
  if (typeof pem !== 'string' || privateKeyIn(pem) === undefined) return undefined;
  if (typeof webhook_secret !== 'string' || webhook_secret === '' || webhook_secret.length > 1000) return undefined;
  const shown = typeof name === 'string' && /^[^\p{C}]{1,100}$/u.test(name) ? name : slug;
  return {
    id: String(id),
    slug,
    name: shown,
    url: pageOf(html_url, origin, slug),
    key: pem,
    webhookSecret: webhook_secret,
  };
}

/** Returns the page of an app. It is shown as a link, so an address on another host is not taken over. */
function pageOf(address: unknown, origin: string, slug: string): string {
  const page = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  if (page?.origin === new URL(origin).origin && /^\/[\w./-]+$/.test(page.pathname))
    return page.origin + page.pathname.replace(/\/+$/, '');
  return `${origin}/${origin === 'https://github.com' ? 'apps' : 'github-apps'}/${slug}`;
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/**
 * Serves the page where a recipient of mail unsubscribes. Release notes sent by mail link to this page, and mail
 * programs post to it for one-click unsubscribing (RFC 8058). Only a POST, sent by the button or by a mail program,
 * changes anything. A GET changes nothing, because security scanners also open the links of mails.
 */

import { type ApiContext, runCommand } from '../api/context.ts';
import { notFound } from '../foundation/errors.ts';
import { escapeHtml } from '../foundation/escape-html.ts';
import { directoryName } from '../foundation/partition-names.ts';
import type { BodyBudget } from '../http/budget.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import type { HttpRoute } from '../http/server.ts';
import { readOrganization } from '../store/tables/directory.ts';
import { isSuppressed, type Recipient, readUnsubscribeToken } from '../store/tables/suppressions.ts';
import type { UnsubscribeLimit } from './unsubscribe-limit.ts';

const path = '/unsubscribe/:token';
const maxBytes = 16_384;

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Dependencies of the page. */
interface Services {
  context: ApiContext;
  budget: BodyBudget;
  limit: UnsubscribeLimit;
  /**
   * Writes in progress, by recipient and requested state. A concurrent duplicate waits for the write of the first
   * request.
   */
  writing: Map<string, Promise<unknown>>;
}

/** Returns the routes of the page. */
export function unsubscribeRoutes(context: ApiContext, budget: BodyBudget, limit: UnsubscribeLimit): HttpRoute[] {
  const services: Services = { context, budget, limit, writing: new Map() };
  return [
    {
      method: 'GET',
      path,
      handle: async (exchange) => show(services, exchange, await recipientOf(services, exchange)),
    },
    {
      method: 'POST',
      path,
      handle: (exchange) => {
        const recipient = recipientOf(services, exchange);
        if (recipient instanceof Promise) recipient.catch((error: unknown) => exchange.fail(error));
        exchange.receive(
          { maxBytes: maxBytes, budget },
          () => {},
          (bytes) => {
            const body = bytes.toString('latin1');
            exchange.guard(async () => change(services, exchange, await recipient, body));
          },
        );
      },
    },
  ];
}

function show({ context }: Services, exchange: Exchange, recipient: Recipient): void {
  reply(exchange, pageFor(nameOf(context, recipient), isOut(context, recipient)));
}

/**
 * Handles a POST. `again=1`, sent by the button "Get them again", subscribes the recipient. Any other body, such as
 * `List-Unsubscribe=One-Click` of a mail program, unsubscribes. Mail programs and people often send the same request
 * several times. A request for the state that is already stored writes nothing, but gets the same reply as a change.
 */
async function change(services: Services, exchange: Exchange, recipient: Recipient, body: string): Promise<void> {
  const { context } = services;
  const suppressed = new URLSearchParams(body).get('again') === null;
  if (isOut(context, recipient) !== suppressed) await write(services, recipient, suppressed);
  reply(exchange, pageFor(nameOf(context, recipient), suppressed));
}

async function write({ context, limit, writing }: Services, recipient: Recipient, suppressed: boolean): Promise<void> {
  const wish = `${recipient.orgId} ${recipient.address} ${suppressed}`;
  const first = writing.get(wish);
  if (first) {
    await first;
    return;
  }
  await limit.change(recipient);
  const written = runCommand(context, directoryName, { name: 'suppress', ...recipient, suppressed });
  writing.set(wish, written);
  await written.finally(() => writing.delete(wish));
}

function isOut({ readers }: ApiContext, recipient: Recipient): boolean {
  const directory = readers.fresh(directoryName);
  return directory !== undefined && isSuppressed(directory, recipient);
}

/**
 * Returns the recipient that the link of a request names. Call this function before the first await, because the
 * function reads the client's address from the connection.
 * @returns a promise only if another gateway counts the request
 * @throws ServiceError `rateLimited`, or `notFound` for an invalid token or an organization that no longer exists
 */
function recipientOf({ context, limit }: Services, exchange: Exchange): Recipient | Promise<Recipient> {
  const [token = ''] = exchange.params;
  const recipient = readUnsubscribeToken(context.sealer, token.slice(0, 300));
  if (recipient && nameOf(context, recipient) !== undefined) {
    return limit.visit(recipient)?.then(() => recipient) ?? recipient;
  }
  const guessed = limit.guess(exchange.peerAddress(), exchange.headers['x-forwarded-for']);
  const refusal = notFound('Link', token.slice(0, 80));
  if (guessed) return guessed.then(() => Promise.reject(refusal));
  throw refusal;
}

function nameOf({ readers }: ApiContext, { orgId }: Recipient): string | undefined {
  const directory = readers.fresh(directoryName);
  return directory && readOrganization(directory, orgId)?.login;
}

function pageFor(organization: string | undefined, isOut: boolean): string {
  const name = escapeHtml(organization ?? '');
  const state = isOut
    ? `You no longer get release notes of ${name} by mail.`
    : `You get the release notes of ${name} by mail.`;
  const button = isOut ? '<button name="again" value="1">Get them again</button>' : '<button>Unsubscribe</button>';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Release notes of ${name} by mail</title>
</head>
<body>
<main>
<h1>Release notes by mail</h1>
<p>${state}</p>
<form method="post">${button}</form>
</main>
</body>
</html>
`;
}

function reply(exchange: Exchange, page: string): void {
  exchange.reply(200, 'text/html; charset=utf-8', page, [...pageHeaders(policy), 'Cache-Control', 'no-store']);
}

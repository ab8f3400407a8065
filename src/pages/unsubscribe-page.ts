/**
 * The page by which a recipient of mail unsubscribes: shown to whoever follows the link of a mail, and the target of mail
 * programs that do it in one click (RFC 8058). Only the button, or such a program, changes anything: links are also followed
 * by machines that look for harm.
 */

import { type ApiContext, carryOut } from '../api/context.ts';
import { notFound } from '../foundation/errors.ts';
import { escapeHtml } from '../foundation/escape-html.ts';
import type { BodyBudget } from '../http/budget.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import type { HttpRoute } from '../http/server.ts';
import { directoryName } from '../journal/subjects.ts';
import { readOrganisation } from '../store/tables/directory.ts';
import { isSuppressed, type Recipient, readUnsubscribeToken } from '../store/tables/suppressions.ts';
import type { UnsubscribeLimit } from './unsubscribe-limit.ts';

const path = '/unsubscribe/:token';
const mostBytes = 16_384;

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** What the page works with. */
interface Services {
  context: ApiContext;
  budget: BodyBudget;
  limit: UnsubscribeLimit;
  /** Writes under way, by recipient and wish: the same request sent again meanwhile waits for the first one. */
  writing: Map<string, Promise<unknown>>;
}

/** The routes of the page. */
export function unsubscribeRoutes(context: ApiContext, budget: BodyBudget, limit: UnsubscribeLimit): HttpRoute[] {
  const services: Services = { context, budget, limit, writing: new Map() };
  return [
    { method: 'GET', path, handle: (exchange) => show(services, exchange) },
    {
      method: 'POST',
      path,
      handle: (exchange) => {
        const recipient = recipientOf(services, exchange);
        exchange.receive(
          { maxBytes: mostBytes, budget },
          () => {},
          (bytes) => exchange.guard(() => change(services, exchange, recipient, bytes.toString('latin1'))),
        );
      },
    },
  ];
}

function show(services: Services, exchange: Exchange): void {
  const { context } = services;
  const recipient = recipientOf(services, exchange);
  reply(exchange, pageFor(nameOf(context, recipient), isOut(context, recipient)));
}

/**
 * A mail program sends `List-Unsubscribe=One-Click`, the page its own button. A request for the state that is stored already gets
 * the same reply and writes nothing: mail programs and people send it several times.
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
  limit.change(recipient, Date.now());
  const written = carryOut(context, directoryName, { name: 'suppress', ...recipient, suppressed });
  writing.set(wish, written);
  await written.finally(() => writing.delete(wish));
}

function isOut({ readers }: ApiContext, recipient: Recipient): boolean {
  const directory = readers.fresh(directoryName);
  return directory !== undefined && isSuppressed(directory, recipient);
}

/**
 * Whom the link of a request means. It reads the address of the connection, so it comes before anything that is awaited.
 * @throws ServiceError `notFound` for a token that was not made here, or for an organisation that is gone; `rateLimited`
 */
function recipientOf({ context, limit }: Services, exchange: Exchange): Recipient {
  const [token = ''] = exchange.params;
  const recipient = readUnsubscribeToken(context.sealer, token.slice(0, 300));
  if (recipient && nameOf(context, recipient) !== undefined) {
    limit.visit(recipient, Date.now());
    return recipient;
  }
  limit.guess(exchange.peerAddress(), exchange.headers['x-forwarded-for'], Date.now());
  throw notFound('Link', token.slice(0, 80));
}

function nameOf({ readers }: ApiContext, { orgId }: Recipient): string | undefined {
  const directory = readers.fresh(directoryName);
  return directory && readOrganisation(directory, orgId)?.login;
}

function pageFor(organisation: string | undefined, isOut: boolean): string {
  const name = escapeHtml(organisation ?? '');
  const state = isOut
    ? `You get no more release notes of ${name} by mail.`
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

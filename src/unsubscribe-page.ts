/**
 * The page by which a recipient of mail unsubscribes: shown to whoever follows the link of a mail, and the target of mail
 * programs that do it in one click (RFC 8058). Only the button, or such a program, changes anything: links are also followed
 * by machines that look for harm.
 */

import { type ApiContext, carryOut } from './api/context.ts';
import { notFound } from './errors.ts';
import { escapeHtml } from './escape-html.ts';
import type { BodyBudget } from './http/budget.ts';
import type { Exchange } from './http/exchange.ts';
import { pageHeaders } from './http/page-headers.ts';
import type { HttpRoute } from './http/server.ts';
import { directoryName } from './journal/subjects.ts';
import { readOrganisation } from './store/directory.ts';
import { isSuppressed, type Recipient, readUnsubscribeToken } from './store/suppressions.ts';

const path = '/unsubscribe/:token';
const mostBytes = 16_384;

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The routes of the page. */
export function unsubscribeRoutes(context: ApiContext, budget: BodyBudget): HttpRoute[] {
  return [
    { method: 'GET', path, handle: (exchange) => show(context, exchange) },
    {
      method: 'POST',
      path,
      handle: (exchange) =>
        exchange.receive(
          { maxBytes: mostBytes, budget },
          () => {},
          (bytes) => exchange.guard(() => change(context, exchange, bytes.toString('latin1'))),
        ),
    },
  ];
}

function show(context: ApiContext, exchange: Exchange): void {
  exchange.guard(() => {
    const recipient = recipientOf(context, exchange);
    const directory = context.readers.fresh(directoryName);
    const isOut = directory !== undefined && isSuppressed(directory, recipient);
    reply(exchange, pageFor(nameOf(context, recipient), isOut));
  });
}

/** A mail program sends `List-Unsubscribe=One-Click`, the page its own button. */
async function change(context: ApiContext, exchange: Exchange, body: string): Promise<void> {
  const recipient = recipientOf(context, exchange);
  const suppressed = new URLSearchParams(body).get('again') === null;
  await carryOut(context, directoryName, { name: 'suppress', ...recipient, suppressed });
  reply(exchange, pageFor(nameOf(context, recipient), suppressed));
}

/** @throws ServiceError `notFound` for a token that was not made here, or for an organisation that is gone */
function recipientOf(context: ApiContext, { params: [token = ''] }: Exchange): Recipient {
  const recipient = readUnsubscribeToken(context.sealer, token.slice(0, 300));
  if (!recipient || nameOf(context, recipient) === undefined) throw notFound('Link', token.slice(0, 80));
  return recipient;
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

/**
 * A note as a mail: an HTML part that loads nothing, a text part, and what makes it one recipient's own: a Message-ID that
 * stays the same over attempts, and the way to unsubscribe.
 */
import { createHash } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import { escapeHtml } from '../../foundation/escape-html.ts';
import type { EmailSettings } from '../../protocol/channel-settings.ts';
import type { Note } from '../channel.ts';
import { blocksToHtml } from '../text/html.ts';
import { blocksOf, titleOf } from '../text/note-text.ts';
import { toPlain } from '../text/plain.ts';

/** What every recipient gets; the line on unsubscribing is added for each. */
export interface EmailPayload {
  subject: string;
  html: string;
  text: string;
}

const style = 'font-family:sans-serif;font-size:15px;line-height:1.5;max-width:42em;margin:0 auto;padding:1em';
const end = '</body></html>';

export function toEmail(note: Note): EmailPayload {
  const subject = titleOf(note);
  const blocks = blocksOf(note);
  const link =
    note.pageUrl === null ? '' : `<p><a href="${escapeHtml(note.pageUrl)}">Read these notes on the web</a></p>\n`;
  const webLine = note.pageUrl === null ? '' : `\n\nOn the web: ${note.pageUrl}`;
  return {
    subject,
    html: document(subject, `<h1>${escapeHtml(subject)}</h1>\n${blocksToHtml(blocks)}\n${link}`),
    text: `${subject}\n\n${toPlain(blocks)}${webLine}\n`,
  };
}

/** A mail of bare text. */
export function plainEmail(subject: string, text: string): EmailPayload {
  return { subject, html: document(subject, `<p>${escapeHtml(text)}</p>\n`), text: `${text}\n` };
}

export interface Addressing {
  publicationId: string;
  to: string;
  unsubscribeUrl: string | null;
  date: Date;
}

/** The message for one recipient, ready to be handed over. */
export function toMessage(payload: EmailPayload, settings: EmailSettings, addressing: Addressing): Promise<Buffer> {
  const { from, fromName } = settings;
  const { publicationId, to, unsubscribeUrl, date } = addressing;
  const mail = new MailComposer({
    from: fromName === undefined ? { address: from, name: '' } : { address: from, name: fromName },
    to: { address: to, name: '' },
    subject: payload.subject,
    text: lines(unsubscribeUrl === null ? payload.text : withLastLine(payload.text, unsubscribeUrl)),
    html: lines(unsubscribeUrl === null ? payload.html : withFooter(payload.html, unsubscribeUrl)),
    messageId: messageId(publicationId, to, from),
    date,
    headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(unsubscribeUrl) },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return mail.compile().build();
}

/** The same for all attempts, so that a message that arrives twice is told to be one; nobody reads the recipient from it. */
export function messageId(publicationId: string, to: string, from: string): string {
  const recipient = createHash('sha256').update(`${publicationId}\n${to.toLowerCase()}`).digest('hex').slice(0, 24);
  return `<${publicationId}.${recipient}@${from.slice(from.lastIndexOf('@') + 1)}>`;
}

/** The one-click form is for https only (RFC 8058). */
function unsubscribeHeaders(url: string | null): Record<string, string | { prepared: true; value: string }> {
  if (url === null) return {};
  const header = { 'List-Unsubscribe': { prepared: true as const, value: `<${url}>` } };
  return url.startsWith('https://') ? { ...header, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : header;
}

function document(title: string, body: string): string {
  const head = `<meta charset="utf-8"><title>${escapeHtml(title)}</title>`;
  return `<!doctype html>\n<html lang="en"><head>${head}</head><body style="${style}">\n${body}${end}\n`;
}

/** Lines of mail end in two characters, in base64 too. */
function lines(text: string): string {
  return text.replaceAll('\n', '\r\n');
}

function withLastLine(text: string, unsubscribeUrl: string): string {
  return `${text}\n-- \nTo get no more of these: ${unsubscribeUrl}\n`;
}

function withFooter(html: string, unsubscribeUrl: string): string {
  const at = html.lastIndexOf(end);
  return `${html.slice(0, at)}<p><small><a href="${escapeHtml(unsubscribeUrl)}">Unsubscribe</a></small></p>\n${html.slice(at)}`;
}

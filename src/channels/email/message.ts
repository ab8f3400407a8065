/**
 * Composes a note as a mail: a text part, and an HTML part that loads nothing from the network. Each recipient's copy
 * has its own unsubscribe link, and a Message-ID that is the same in all attempts.
 */
import { createHash } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import { escapeHtml } from '../../foundation/escape-html.ts';
import type { EmailSettings } from '../../protocol/channel-settings.ts';
import type { Note } from '../channel.ts';
import { blocksToHtml } from '../text/html.ts';
import { blocksOf, titleOf } from '../text/note-text.ts';
import { toPlain } from '../text/plain.ts';

/** The content that all recipients get. The unsubscribe line is added to each copy. */
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

/** Makes a mail with one plain paragraph. */
export function plainEmail(subject: string, text: string): EmailPayload {
  return { subject, html: document(subject, `<p>${escapeHtml(text)}</p>\n`), text: `${text}\n` };
}

export interface Addressing {
  publicationId: string;
  to: string;
  unsubscribeUrl: string | null;
  date: Date;
}

/** Returns the complete message for one recipient, as bytes for SMTP. */
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

/**
 * Returns the same Message-ID in all attempts, so that mail programs recognize a duplicate. The recipient's address
 * cannot be read from the Message-ID.
 */
export function messageId(publicationId: string, to: string, from: string): string {
  const recipient = createHash('sha256').update(`${publicationId}\n${to.toLowerCase()}`).digest('hex').slice(0, 24);
  return `<${publicationId}.${recipient}@${from.slice(from.lastIndexOf('@') + 1)}>`;
}

/** Returns the headers for unsubscribing. The one-click header is allowed for https only (RFC 8058). */
function unsubscribeHeaders(url: string | null): Record<string, string | { prepared: true; value: string }> {
  if (url === null) return {};
  const header = { 'List-Unsubscribe': { prepared: true as const, value: `<${url}>` } };
  return url.startsWith('https://') ? { ...header, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : header;
}

function document(title: string, body: string): string {
  const head = `<meta charset="utf-8"><title>${escapeHtml(title)}</title>`;
  return `<!doctype html>\n<html lang="en"><head>${head}</head><body style="${style}">\n${body}${end}\n`;
}

/** Converts all line ends to CR LF, as mails require, including the line ends inside base64. */
function lines(text: string): string {
  return text.replaceAll('\n', '\r\n');
}

function withLastLine(text: string, unsubscribeUrl: string): string {
  return `${text}\n-- \nTo unsubscribe: ${unsubscribeUrl}\n`;
}

function withFooter(html: string, unsubscribeUrl: string): string {
  const at = html.lastIndexOf(end);
  return `${html.slice(0, at)}<p><small><a href="${escapeHtml(unsubscribeUrl)}">Unsubscribe</a></small></p>\n${html.slice(at)}`;
}

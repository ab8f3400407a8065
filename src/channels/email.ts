/**
 * The channel `email`: sends a separate message to each recipient, so that recipients do not see each other and each
 * can unsubscribe. A client cannot ask an SMTP server whether it accepted a message. So a message that may have arrived
 * is not repeated, and no recipient gets a message twice (`docs/architecture.md` decision 24).
 */

import { mailNeedsPublicUrl } from '../../config/public-url.ts';
import { type EmailSettings, EmailSettingsSchema } from '../protocol/channel-settings.ts';
import { type Channel, type Delivered, type DeliveryContext, DeliveryError } from './channel.ts';
import { type EmailPayload, plainEmail, toEmail, toMessage } from './email/message.ts';
import { sendAll } from './email/send.ts';
import { SmtpSession } from './email/smtp.ts';

type Context = DeliveryContext<EmailSettings>;

export const email: Channel<EmailSettings, EmailPayload> = {
  name: 'email',
  isPublic: true,
  canLookUp: false,
  settings: EmailSettingsSchema,
  secrets: ['user', 'password', 'recipients'],
  recipients: ({ recipients }) => distinct(recipients),
  render: (note) => toEmail(note),
  deliver: (payload, context) => deliver(payload, context),
  test: (context) => test(context),
};

async function deliver(payload: EmailPayload, context: Context): Promise<Delivered> {
  const { settings, egress, signal, publicationId } = context;
  const { due, ...others } = context.recipients;
  if (due.length === 0 && others.alreadySent === 0)
    throw new DeliveryError('refused', 'All recipients have unsubscribed.');
  if (due.length === 0)
    return { url: null, reference: null, counts: { accepted: 0, rejected: 0, deferred: 0, ...others } };
  if (due.some((to) => context.unsubscribeUrl(to) === null)) throw new DeliveryError('refused', mailNeedsPublicUrl);
  const { tally, reached } = await sendAll({
    recipients: due,
    signal,
    open: () => SmtpSession.open(settings, egress, signal),
    hand: async (session, to) => {
      const addressing = { publicationId, to, unsubscribeUrl: context.unsubscribeUrl(to), date: new Date() };
      return session.send(settings.from, to, await toMessage(payload, settings, addressing));
    },
  });
  return { url: null, reference: null, counts: { ...tally, ...others }, reached };
}

/**
 * Sends the test message to the sender's own address, because a test must not reach the people on the list. The server
 * may refuse that address.
 */
async function test({ settings, egress, signal, publicationId }: Context): Promise<string> {
  const session = await SmtpSession.open(settings, egress, signal);
  try {
    const payload = plainEmail('Test message', 'Release notes will be sent from this address.');
    const addressing = { publicationId, to: settings.from, unsubscribeUrl: null, date: new Date() };
    const message = await toMessage(payload, settings, addressing);
    const { kind } = await session.send(settings.from, settings.from, message);
    return kind === 'accepted'
      ? "The mail server accepted a test message to the sender's own address."
      : "The mail server did not accept a test message to the sender's own address.";
  } finally {
    session.close();
  }
}

/** Removes duplicate addresses, ignoring case. */
function distinct(addresses: readonly string[]): string[] {
  return [...new Map(addresses.map((address) => [address.toLowerCase(), address])).values()];
}

/**
 * The channel `office_chat`: a card posted by a workflow of an office chat. The workflow takes it (202) and says no more; the
 * card itself is made in `text/card.ts`.
 */
import { OfficeChatSettingsSchema, type OfficeChatSettings as Settings } from '../protocol/channel-settings.ts';
import { type Channel, type DeliveryContext, DeliveryError } from './channel.ts';
import { afterSending, exchangeJson } from './receivers.ts';
import { type CardMessage, plainCardMessage, toCardMessage } from './text/card.ts';

const receiver = 'The office chat';

export const officeChat: Channel<Settings, CardMessage> = {
  name: 'office_chat',
  isPublic: false,
  canLookUp: false,
  settings: OfficeChatSettingsSchema,
  secrets: ['webhookUrl'],
  render: (note) => toCardMessage(note),
  async deliver(message, context) {
    await send(message, context);
    return { url: null, reference: null };
  },
  async test(context) {
    await send(plainCardMessage('Test message', 'Release notes will arrive here.'), context);
    return 'A test message was handed to the workflow.';
  },
};

/** Older connectors answer 200 and put the failure of what stands behind them into the text. */
async function send(message: CardMessage, context: DeliveryContext<Settings>): Promise<void> {
  const { webhookUrl: url } = context.settings;
  const reply = await exchangeJson({ ...context, receiver, repeatable: false }, { method: 'POST', url, body: message });
  const behind = Number(/HTTP error (\d{3})/.exec(reply.body.toString('utf8', 0, 2_000))?.[1] ?? 0);
  if (behind === 0) return;
  if (behind === 429 || behind === 503) throw new DeliveryError('retry', `${receiver} asks to wait (${behind}).`);
  if (behind >= 500) throw afterSending(false, `${receiver} failed (${behind}).`);
  throw new DeliveryError('refused', `${receiver} refused it (${behind}).`);
}

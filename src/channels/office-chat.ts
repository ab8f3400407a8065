/**
 * The channel `office_chat`: posts a card through a workflow of an office chat. The workflow accepts the card (202) and
 * reports nothing else. `text/card.ts` makes the card.
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
    return 'A test message was sent to the workflow.';
  },
};

/**
 * Sends the card. If the chat does not accept the card, older connectors still answer 200. The text of their reply then
 * contains the error of the chat.
 */
async function send(message: CardMessage, context: DeliveryContext<Settings>): Promise<void> {
  const { webhookUrl: url } = context.settings;
  const reply = await exchangeJson({ ...context, receiver, repeatable: false }, { method: 'POST', url, body: message });
  const status = Number(/HTTP error (\d{3})/.exec(reply.body.toString('utf8', 0, 2_000))?.[1] ?? 0);
  if (status === 0) return;
  if (status === 429 || status === 503) throw new DeliveryError('retry', `${receiver} asks to wait (${status}).`);
  if (status >= 500) throw afterSending(false, `${receiver} failed (${status}).`);
  throw new DeliveryError('refused', `${receiver} refused the request (${status}).`);
}

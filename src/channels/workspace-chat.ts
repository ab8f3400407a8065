/**
 * The channel `workspace_chat`: sends a message to a workspace chat, through an incoming webhook or as a bot. When a
 * later revision of the draft is published, the message that the bot sent is updated. `text/chat-blocks.ts` makes the
 * message.
 */
import { type WorkspaceChatSettings as Settings, WorkspaceChatSettingsSchema } from '../protocol/channel-settings.ts';
import { type Channel, type Delivered, type DeliveryContext, DeliveryError } from './channel.ts';
import { afterSending, codeOf, type Exchange, exchangeJson, jsonOf } from './receivers.ts';
import { type ChatMessage, plainChatMessage, toChatMessage } from './text/chat-blocks.ts';

type Context = DeliveryContext<Settings>;

const receiver = 'The chat';
/**
 * Error codes of the API that mean "try again later". After such an error, the API has certainly not carried out the
 * request.
 */
const passing = new Set(['ratelimited', 'rate_limited', 'service_unavailable', 'request_timeout', 'team_added_to_org']);
/** Error codes after which the API may have carried out the request. */
const doubtful = new Set(['internal_error', 'fatal_error']);

export const workspaceChat: Channel<Settings, ChatMessage> = {
  name: 'workspace_chat',
  isPublic: false,
  canLookUp: false,
  settings: WorkspaceChatSettingsSchema,
  secrets: ['webhookUrl', 'botToken'],
  render: (note) => toChatMessage(note),
  deliver: (message, context) => send(message, context),
  async test(context) {
    const { url } = await send(plainChatMessage('Test message', 'Release notes will arrive here.'), context);
    return `A test message was sent${url === null ? '' : `: ${url}`}.`;
  },
};

async function send(message: ChatMessage, context: Context): Promise<Delivered> {
  const { webhookUrl, botToken, channel, apiUrl = 'https://slack.com/api' } = context.settings;
  if (webhookUrl !== undefined && botToken === undefined) return sendToWebhook(message, webhookUrl, context);
  if (webhookUrl !== undefined || botToken === undefined || channel === undefined) {
    throw new DeliveryError('refused', 'The connection needs either webhookUrl, or botToken and channel.');
  }
  return new Bot(apiUrl, botToken, context).send(message, channel);
}

async function sendToWebhook(message: ChatMessage, url: string, context: Context): Promise<Delivered> {
  await exchangeJson({ ...context, receiver, repeatable: false }, { method: 'POST', url, body: message });
  return { url: null, reference: null };
}

/** Calls the API, which answers 200 with `ok: false` when it refuses a request. */
class Bot {
  private readonly apiUrl: string;
  private readonly token: string;
  private readonly context: Context;

  constructor(apiUrl: string, token: string, context: Context) {
    this.apiUrl = apiUrl.replace(/\/+$/, '');
    this.token = token;
    this.context = context;
  }

  /** Sends a message. If the message of an earlier publication still exists, updates that message instead. */
  async send(message: ChatMessage, channel: string): Promise<Delivered> {
    const [earlierChannel, earlierTs] = this.context.reference?.split(':') ?? [];
    if (earlierChannel && earlierTs) {
      const updated = await this.call('chat.update', { ...message, channel: earlierChannel, ts: earlierTs }, true);
      if (updated !== undefined) return this.delivered(updated);
    }
    const posted = await this.call('chat.postMessage', { ...message, channel, link_names: false }, false);
    if (posted === undefined)
      throw new DeliveryError('refused', `${receiver} refused the request (message_not_found).`);
    return this.delivered(posted);
  }

  private async delivered({ channel, ts }: Record<string, unknown>): Promise<Delivered> {
    if (typeof channel !== 'string' || typeof ts !== 'string') return { url: null, reference: null };
    return { url: await this.permalink(channel, ts), reference: `${channel}:${ts}` };
  }

  /**
   * Returns the address of a message; null if the request for the address fails. The failure is not thrown, because the
   * message is already sent.
   */
  private async permalink(channel: string, ts: string): Promise<string | null> {
    const query = new URLSearchParams({ channel, message_ts: ts });
    const reply = await exchangeJson(this.exchange(true), {
      method: 'GET',
      url: `${this.apiUrl}/chat.getPermalink?${query}`,
      headers: this.authorization,
    }).catch(() => undefined);
    const permalink = reply && jsonOf(reply)?.permalink;
    return typeof permalink === 'string' && /^https?:\/\//.test(permalink) ? permalink : null;
  }

  /** Makes one call. @returns the reply; undefined when the message to update no longer exists */
  private async call(method: string, body: unknown, repeatable: boolean): Promise<Record<string, unknown> | undefined> {
    const url = `${this.apiUrl}/${method}`;
    const request = { method: 'POST', url, headers: this.authorization, body } as const;
    const json = jsonOf(await exchangeJson(this.exchange(repeatable), request));
    if (json?.ok === true) return json;
    if (json?.ok !== false) throw afterSending(repeatable, `${receiver} sent a reply that cannot be read.`);
    const code = codeOf(json.error);
    if (code === 'message_not_found') return undefined;
    if (passing.has(code)) throw new DeliveryError('retry', `${receiver} asks to wait (${code}).`);
    if (doubtful.has(code)) throw afterSending(repeatable, `${receiver} failed (${code}).`);
    throw new DeliveryError('refused', `${receiver} refused the request (${code}).`);
  }

  private exchange(repeatable: boolean): Exchange {
    return { ...this.context, receiver, repeatable };
  }

  private get authorization(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }
}

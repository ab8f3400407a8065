/**
 * Simulates a workspace chat on loopback: an incoming webhook at `/hook`, and the API for bots below `/api`. The chat
 * enforces the limits of message blocks and the grammar of the markup in the blocks.
 */
import type { TestContext } from 'node:test';
import type { Received } from '../receiver.ts';
import { jsonBody, type Rule, type Ruled, type RuledReply, startRuled, unknownFields } from './ruled.ts';

interface HeldMessage {
  channel: string;
  ts: string;
  /** Texts of the message's blocks, joined in order. */
  text: string;
}

export interface WorkspaceChat extends Ruled {
  webhookUrl: string;
  apiUrl: string;
  token: string;
  channel: string;
  /** The messages that the chat currently shows. */
  messages: HeldMessage[];
}

type Fields = Record<string, unknown>;
const messageFields = ['text', 'blocks', 'unfurl_links', 'unfurl_media'];
const maxMessageLength = 13_000;

export async function startWorkspaceChat(t: TestContext): Promise<WorkspaceChat> {
  const messages: HeldMessage[] = [];
  const [token, channel] = ['xoxb-for-tests', 'C0TEST'];
  let made = 0;
  const post = (body: Fields): HeldMessage => {
    const message = { channel, ts: `1700000000.${String(++made).padStart(6, '0')}`, text: textOf(body) };
    messages.push(message);
    return message;
  };
  const hook: Rule = (request) => {
    const body = jsonBody(request);
    if (request.method !== 'POST' || !body) return { status: 400, body: 'invalid_payload' };
    const fault = faultOf(body, []);
    if (fault) return { status: 400, body: fault };
    post(body);
    return { status: 200, body: 'ok' };
  };
  const api: Record<string, (body: Fields, request: Received) => Fields> = {
    'chat.postMessage': (body) => {
      const fault = faultOf(body, ['channel', 'link_names']);
      if (fault) return { ok: false, error: fault };
      if (body.channel !== channel) return { ok: false, error: 'channel_not_found' };
      const { ts } = post(body);
      return { ok: true, channel, ts };
    },
    'chat.update': (body) => {
      const fault = faultOf(body, ['channel', 'ts']);
      if (fault) return { ok: false, error: fault };
      const message = messages.find(({ ts }) => ts === body.ts && body.channel === channel);
      if (!message) return { ok: false, error: 'message_not_found' };
      message.text = textOf(body);
      return { ok: true, channel, ts: message.ts };
    },
    'chat.getPermalink': (_, { path }) => {
      const ts = new URL(path, 'http://chat').searchParams.get('message_ts') ?? '';
      return { ok: true, permalink: `https://chat.example/archives/${channel}/p${ts.replace('.', '')}` };
    },
  };
  const rule: Rule = (request) => {
    if (request.path === '/hook') return hook(request);
    const method = api[/^\/api\/([\w.]+)/.exec(request.path)?.[1] ?? ''];
    if (!method) return { status: 200, body: { ok: false, error: 'unknown_method' } };
    if (request.headers.authorization !== `Bearer ${token}`) return answered({ ok: false, error: 'invalid_auth' });
    return answered(method(jsonBody(request) ?? {}, request));
  };
  const ruled = await startRuled(t, rule);
  const { url } = ruled.receiver;
  return { ...ruled, webhookUrl: `${url}/hook`, apiUrl: `${url}/api`, token, channel, messages };
}

function answered(body: Fields): RuledReply {
  return { status: 200, body };
}

function textOf({ blocks }: Fields): string {
  return (blocks as { text: { text: string } }[]).map(({ text }) => text.text).join('\n');
}

/** Returns the error code with which the chat refuses a message; undefined when it accepts the message. */
function faultOf(body: Fields, more: readonly string[]): string | undefined {
  const { text, blocks } = body;
  if (unknownFields(body, [...messageFields, ...more]).length > 0) return 'invalid_arguments';
  if (typeof text !== 'string' || text === '') return 'no_text';
  if (!Array.isArray(blocks) || blocks.length === 0 || blocks.length > 50) return 'invalid_blocks';
  if (blocks.some((block: Fields) => blockFault(block))) return 'invalid_blocks';
  if (textOf(body).length > maxMessageLength) return 'msg_blocks_too_long';
  return undefined;
}

function blockFault({ type, text, ...rest }: Fields): boolean {
  const { type: kind, text: words, verbatim, emoji, ...more } = (text ?? {}) as Fields;
  if (typeof words !== 'string' || words.trim() === '') return true;
  if (Object.keys({ ...rest, ...more }).length > 0) return true;
  if (type === 'header') return kind !== 'plain_text' || verbatim !== undefined || words.length > 150;
  return type !== 'section' || kind !== 'mrkdwn' || emoji !== undefined || words.length > 3_000 || !isMarkup(words);
}

/** Whether a text is valid markup: each `<` starts a complete link, and each `&` starts an escape. */
function isMarkup(text: string): boolean {
  return (
    !/<|>/.test(text.replace(/^> /gm, '').replace(/<(?:https?:\/\/|mailto:)[^<>|\s]+(?:\|[^<>\n]*)?>/g, '')) &&
    !/&(?!(?:amp|lt|gt);)/.test(text)
  );
}

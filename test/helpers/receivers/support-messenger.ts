/**
 * Simulates a support messenger on loopback. It stores news items of known teammates in known newsfeeds, and lists them
 * in pages, newest first. Like real services, it sanitizes HTML, refuses dates in the future, and empties the lists
 * that an update omits.
 */
import type { TestContext } from 'node:test';
import type { Received } from '../receiver.ts';
import { jsonBody, type Ruled, type RuledReply, startRuled, unknownFields } from './ruled.ts';

export interface NewsItem {
  id: string;
  title: string;
  body: string;
  sender_id: number;
  state: 'draft' | 'live';
  labels: unknown[];
  reactions: unknown[];
  newsfeed_assignments: { newsfeed_id: number; published_at: number }[];
}

export interface SupportMessenger extends Ruled {
  apiUrl: string;
  token: string;
  senderId: number;
  newsfeedId: number;
  /** The stored news items, newest first. */
  items: NewsItem[];
}

type Fields = Record<string, unknown>;
const fields = [
  'title',
  'body',
  'sender_id',
  'state',
  'labels',
  'reactions',
  'newsfeed_assignments',
  'deliver_silently',
];
const [token, senderId, newsfeedId] = ['messenger-token', 7, 42];

export async function startSupportMessenger(t: TestContext): Promise<SupportMessenger> {
  const items: NewsItem[] = [];
  let made = 0;
  const write = (body: Fields | undefined, item: NewsItem | undefined): RuledReply => {
    const fault = faultOf(body);
    if (fault || !body) return refusal(400, 'parameter_invalid', fault ?? 'no JSON');
    const target = item ?? { ...blank, id: String(++made) };
    Object.assign(target, { labels: [], reactions: [], newsfeed_assignments: [] }, body, {
      body: cleaned(String(body.body)),
    });
    if (!item) items.unshift(target);
    return { status: 200, body: { type: 'news-item', ...target } };
  };
  const ruled = await startRuled(t, (request) => {
    if (request.headers.authorization !== `Bearer ${token}`)
      return refusal(401, 'unauthorized', 'Access Token Invalid');
    const { pathname, searchParams } = new URL(request.path, 'http://messenger');
    const id = /^\/news\/news_items\/([^/]+)$/.exec(pathname)?.[1];
    const item = items.find((each) => each.id === id);
    if (pathname === '/news/news_items' && request.method === 'POST') return write(jsonBody(request), undefined);
    if (pathname === '/news/news_items') return listed(items, searchParams);
    if (pathname === `/admins/${senderId}`) return { status: 200, body: { type: 'admin', id: String(senderId) } };
    if (pathname === `/news/newsfeeds/${newsfeedId}`)
      return { status: 200, body: { type: 'newsfeed', id: String(newsfeedId) } };
    if (!item) return refusal(404, 'not_found', 'Resource Not Found');
    return request.method === 'PUT'
      ? write(jsonBody(request), item)
      : { status: 200, body: { type: 'news-item', ...item } };
  });
  return { ...ruled, apiUrl: ruled.receiver.url, token, senderId, newsfeedId, items };
}

const blank: NewsItem = {
  id: '',
  title: '',
  body: '',
  sender_id: 0,
  state: 'draft',
  labels: [],
  reactions: [],
  newsfeed_assignments: [],
};

function listed(items: readonly NewsItem[], query: URLSearchParams): RuledReply {
  const [page, size] = [Number(query.get('page') ?? 1), Math.min(Number(query.get('per_page') ?? 10), 50)];
  const data = items.slice((page - 1) * size, page * size).map((item) => ({ type: 'news-item', ...item }));
  const pages = { type: 'pages', page, per_page: size, total_pages: Math.ceil(items.length / size) };
  return { status: 200, body: { type: 'list', pages, total_count: items.length, data } };
}

function faultOf(body: Fields | undefined): string | undefined {
  if (!body) return 'no JSON';
  const { title, state, newsfeed_assignments: assigned = [] } = body;
  if (unknownFields(body, fields).length > 0) return 'unknown parameter';
  if (typeof title !== 'string' || title === '' || title.length > 300) return 'title';
  if (body.sender_id !== senderId) return 'sender_id';
  if (state !== undefined && state !== 'draft' && state !== 'live') return 'state';
  const now = Date.now() / 1000;
  for (const { newsfeed_id: feed, published_at: at } of assigned as NewsItem['newsfeed_assignments']) {
    if (feed !== newsfeedId || (at !== undefined && at > now)) return 'newsfeed_assignments';
  }
  return undefined;
}

/** Removes HTML comments, and all attributes except `href`. */
function cleaned(html: string): string {
  return html
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<(\w+)(?: (href="[^"]*"))?[^>]*>/g, (_, tag, href) => `<${tag}${href ? ` ${href}` : ''}>`);
}

function refusal(status: number, code: string, message: string): RuledReply {
  return { status, body: { type: 'error.list', request_id: 'r1', errors: [{ code, message }] } };
}

/** Returns the requests that the messenger received, as `METHOD path`. */
export function callsOf({ receiver }: SupportMessenger): string[] {
  return receiver.received.map(({ method, path }: Received) => `${method} ${path}`);
}

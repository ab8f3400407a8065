/**
 * The channel `support_messenger`: publishes a news item in the messenger in which customers ask for help. The item's
 * last line holds the publication's id. If the reply to an attempt was lost, a retry finds the item by this id and does
 * not create a duplicate.
 */

import { escapeHtml } from '../foundation/escape-html.ts';
import {
  type SupportMessengerSettings as Settings,
  SupportMessengerSettingsSchema,
} from '../protocol/channel-settings.ts';
import { type Channel, type Delivered, type DeliveryContext, DeliveryError, type Note } from './channel.ts';
import { exchangeJson, jsonOf } from './receivers.ts';
import { cutToFit, type Rest, restText } from './text/cut.ts';
import { blocksToHtml } from './text/html.ts';
import { blocksOf, readOnUrl, titleOf } from './text/note-text.ts';

/** The news item, without its sender. */
interface NewsItem {
  title: string;
  body: string;
}

const receiver = 'The messenger';
const apiVersion = '2.11';
const maxBodyLength = 50_000;
/**
 * Limits of the search for an earlier item. The list begins with the newest item. An earlier attempt is only minutes
 * old, so its item is near the beginning.
 */
const pageSize = 20;
const maxPages = 10;
const maxReplyBytes = 8 * 1024 * 1024;

export const supportMessenger: Channel<Settings, NewsItem> = {
  name: 'support_messenger',
  isPublic: true,
  canLookUp: true,
  settings: SupportMessengerSettingsSchema,
  secrets: ['accessToken'],
  render: (note) => ({ title: titleOf(note), body: bodyOf(note) }),
  deliver: (item, context) => new Messenger(context).publish(item),
  test: (context) => new Messenger(context).check(),
};

function bodyOf(note: Note): string {
  return cutToFit(
    blocksOf(note),
    (kept, rest) => [blocksToHtml(kept), restHtml(note, rest), markOf(note.publicationId)].join('\n'),
    (body) => body.length <= maxBodyLength,
  );
}

function restHtml(note: Note, rest: Rest | null): string {
  if (!rest) return '';
  const url = readOnUrl(note);
  const link = url === null ? '.' : `: <a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`;
  return `<p>${restText(rest)}${link}</p>`;
}

/**
 * Returns the text that identifies a publication's item. It is visible text, because messengers remove comments and
 * attributes from HTML.
 */
function markOf(publicationId: string): string {
  return `<p><em>Reference ${escapeHtml(publicationId)}</em></p>`;
}

/**
 * Calls the messenger's API. Each call may be repeated, because the class first looks for the news item that an earlier
 * attempt created.
 */
class Messenger {
  private readonly context: DeliveryContext<Settings>;

  constructor(context: DeliveryContext<Settings>) {
    this.context = context;
  }

  async publish(item: NewsItem): Promise<Delivered> {
    const { reference, resumed } = this.context;
    const id = (reference !== null && (await this.update(reference, item))) || (resumed && (await this.found(item)));
    return { url: null, reference: id || (await this.create(item)) };
  }

  /**
   * Checks the access by looking up the sender and the newsfeeds. The check sends no news item, because customers would
   * read it.
   */
  async check(): Promise<string> {
    const { senderId, newsfeedIds = [] } = this.context.settings;
    if (!(await this.call('GET', `/admins/${senderId}`))) {
      throw new DeliveryError('refused', `${receiver} has no teammate ${senderId}.`);
    }
    for (const id of newsfeedIds) {
      if (!(await this.call('GET', `/news/newsfeeds/${id}`))) {
        throw new DeliveryError('refused', `${receiver} has no newsfeed ${id}.`);
      }
    }
    if (!(await this.call('GET', '/news/news_items?page=1&per_page=1'))) {
      throw new DeliveryError('refused', `${receiver} does not offer news in this workspace.`);
    }
    return 'The receiver accepted the token and knows the sender and the newsfeeds. Nothing was published.';
  }

  private async create(item: NewsItem): Promise<string> {
    const { state = 'live' } = this.context.settings;
    const created = await this.call('POST', '/news/news_items', {
      ...item,
      sender_id: this.context.settings.senderId,
      state,
      newsfeed_assignments: this.assignments(),
    });
    return idOf(created) ?? this.unreadable();
  }

  /**
   * Replaces the text of an item. The messenger clears fields that a request leaves out. So the request also contains
   * the item's current labels, reactions and newsfeeds. This keeps changes that people made in the messenger.
   * @returns the item's id; undefined when the item no longer exists
   */
  private async update(id: string, item: NewsItem): Promise<string | undefined> {
    const path = `/news/news_items/${encodeURIComponent(id)}`;
    const present = await this.call('GET', path);
    if (!present) return undefined;
    const { state, senderId } = this.context.settings;
    const assigned = listOf(present.newsfeed_assignments);
    const updated = await this.call('PUT', path, {
      ...item,
      sender_id: senderId,
      labels: listOf(present.labels),
      reactions: listOf(present.reactions),
      newsfeed_assignments: assigned.length > 0 ? assigned : this.assignments(),
      ...(state !== 'draft' && { state: 'live' }),
    });
    return updated && id;
  }

  /** Finds the item of an earlier attempt of this publication, and updates it. */
  private async found(item: NewsItem): Promise<string | undefined> {
    const mark = `Reference ${this.context.publicationId}<`;
    for (let page = 1; page <= maxPages; page += 1) {
      const list = await this.call('GET', `/news/news_items?page=${page}&per_page=${pageSize}`);
      const items = listOf(list?.data) as Record<string, unknown>[];
      const id = idOf(items.find(({ body }) => typeof body === 'string' && body.includes(mark)));
      if (id !== undefined) return this.update(id, item);
      if (items.length < pageSize) return undefined;
    }
    return undefined;
  }

  /**
   * Returns the newsfeeds, each with the time of publication. This time is one minute ago, because clocks differ and
   * the messenger refuses times in the future.
   */
  private assignments(): { newsfeed_id: number; published_at: number }[] {
    const published_at = Math.floor(Date.now() / 1000) - 60;
    return (this.context.settings.newsfeedIds ?? []).map((newsfeed_id) => ({ newsfeed_id, published_at }));
  }

  /** Makes one request. @returns the reply; undefined for 404 */
  private async call(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: unknown,
  ): Promise<Record<string, unknown> | undefined> {
    const { accessToken, apiUrl = 'https://api.intercom.io' } = this.context.settings;
    const reply = await exchangeJson(
      { ...this.context, receiver, repeatable: true, accepts: method === 'POST' ? [] : [404] },
      {
        method,
        url: apiUrl.replace(/\/+$/, '') + path,
        headers: { authorization: `Bearer ${accessToken}`, 'intercom-version': apiVersion },
        maxBodyBytes: maxReplyBytes,
        body,
      },
    );
    if (reply.status === 404) return undefined;
    return jsonOf(reply) ?? this.unreadable();
  }

  private unreadable(): never {
    throw new DeliveryError('retry', `${receiver} sent a reply that cannot be read.`);
  }
}

function idOf(item: Record<string, unknown> | undefined): string | undefined {
  const id = item?.id;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

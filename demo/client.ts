/**
 * Runs the demo's API requests: finds the repository, makes a range, generates the drafts, polls until they are ready,
 * and publishes.
 */
import { setTimeout as pause } from 'node:timers/promises';

export const personas = ['engineer', 'internal', 'customer'] as const;
export type Persona = (typeof personas)[number];

/** The fields of a draft that the demo uses. */
export interface Draft {
  id: string;
  persona: Persona;
  status: 'processing' | 'ready' | 'failed';
  bodyMd: string;
  error?: string;
}

/** The fields of a range that the demo uses. */
export interface Range {
  id: string;
  repoId: string;
  fromTag: string;
  toTag: string;
}

/** The fields of a publication that the demo uses. */
interface Publication {
  id: string;
  status: string;
  url: string | null;
  error: string | null;
}

const waitMs = 30_000;

export class DemoClient {
  private readonly url: string;
  private readonly key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.key = key;
  }

  /** Makes a range between two tags, and generates its three drafts. */
  async makeDrafts(
    fullName: string,
    fromTag: string,
    toTag: string,
  ): Promise<{ range: Range; drafts: Record<Persona, Draft> }> {
    const repoId = await this.until(`${fullName} with ${toTag}`, () => this.findRepository(fullName, toTag));
    const range = await this.call<Range>('POST', '/api/ranges', { type: 'TAG_BASED', repoId, fromTag, toTag });
    const [engineer, internal, customer] = await Promise.all(
      personas.map((persona) => this.generate(range.id, persona)),
    );
    return { range, drafts: { engineer, internal, customer } as Record<Persona, Draft> };
  }

  /** Publishes a draft on a page of the service and returns the page's address. */
  async publishPage(draftId: string): Promise<string> {
    const { id } = await this.call<Publication>('POST', '/api/publish', { draftId, channel: 'hosted' });
    return this.until('the page', async () => {
      const { status, url, error } = await this.call<Publication>('GET', `/api/publications/${id}`);
      if (status === 'failed') throw new Error(`The page was not published: ${error}`);
      return status === 'completed' && url !== null ? url : undefined;
    });
  }

  private async findRepository(fullName: string, tag: string): Promise<string | undefined> {
    const { repos } = await this.call<{ repos: { id: string; fullName: string }[] }>('GET', '/api/repos');
    const found = repos.find((repository) => repository.fullName === fullName);
    if (!found) return undefined;
    const { tags } = await this.call<{ tags: { name: string }[] }>('GET', `/api/repos/${found.id}/tags?limit=100`);
    return tags.some(({ name }) => name === tag) ? found.id : undefined;
  }

  private async generate(rangeId: string, persona: Persona): Promise<Draft> {
    const ticket = await this.call<{ id: string }>('POST', `/api/drafts/${rangeId}/generate`, { persona });
    return this.until(`the ${persona} draft`, async () => {
      const draft = await this.call<Draft>('GET', `/api/drafts/${ticket.id}`);
      if (draft.status === 'failed') throw new Error(`The ${persona} draft failed: ${draft.error}`);
      return draft.status === 'ready' ? draft : undefined;
    });
  }

  private async until<T>(what: string, check: () => Promise<T | undefined>): Promise<T> {
    for (const deadline = performance.now() + waitMs; performance.now() < deadline; await pause(100)) {
      const found = await check();
      if (found !== undefined) return found;
    }
    throw new Error(`Timed out after ${waitMs / 1000} s of waiting for ${what}.`);
  }

  private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as T & { message?: string };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.message}`);
    return answer;
  }
}

/**
 * Probes a service under load. A probe pushes a tag to a repository that only the prober uses. Then it polls the API
 * until that tag is the repository's newest.
 */
import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchService } from './service.ts';

export const probesASecond = 20;
const pollMs = 4;
const waitMs = 10_000;

/**
 * Times of a probe in milliseconds, measured from the moment when the tag push is sent. `accepted` ends at the 202
 * reply. `readable` ends at the first API reply that shows the tag.
 */
export interface Probe {
  accepted: number;
  readable: number;
}

/** Pushes tags to the prober's own repository and waits until the API lists them. */
export class Prober {
  private readonly service: BenchService;
  private repoId = '';
  private sent = 0;

  constructor(service: BenchService) {
    this.service = service;
  }

  /** Creates the repository and warms up the connections. */
  async prepare(): Promise<void> {
    await this.send('v0');
    const deadline = performance.now() + waitMs;
    while (this.repoId === '' && performance.now() < deadline) {
      const { repos } = (await this.get('/api/repos')) as { repos: { id: string }[] };
      this.repoId = repos[0]?.id ?? '';
      await pause(20);
    }
    for (let i = 0; i < 20; i++) await this.probe();
  }

  /**
   * Probes at random times. Probes at fixed intervals could stay in step with a timer of the service. Then either every
   * probe or no probe would coincide with the timer.
   */
  async probeFor(seconds: number): Promise<Probe[]> {
    const started = performance.now();
    const probes: Probe[] = [];
    for (let i = 0; i < seconds * probesASecond; i++) {
      const due = started + ((i + Math.random()) * 1000) / probesASecond;
      await pause(Math.max(0, due - performance.now()));
      probes.push(await this.probe());
    }
    return probes;
  }

  private async probe(): Promise<Probe> {
    this.sent += 1;
    const name = `v0.${this.sent}`;
    const started = performance.now();
    await this.send(name);
    const accepted = performance.now() - started;
    const path = `/api/repos/${this.repoId}/tags?limit=1&sort=createdAt&order=desc`;
    for (;;) {
      const { tags } = (await this.get(path)) as { tags: { name: string }[] };
      const readable = performance.now() - started;
      if (tags[0]?.name === name) return { accepted, readable };
      if (readable > waitMs) throw new Error(`Tag ${name} is not listed after ${waitMs / 1000} s`);
      await pause(pollMs);
    }
  }

  private async send(name: string): Promise<void> {
    const body = JSON.stringify(tagPush(name, this.sent));
    const signature = createHmac('sha256', this.service.secret).update(body).digest('hex');
    const response = await fetch(`${this.service.url}/api/webhooks/scm`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Scm-Event': 'push',
        'X-Scm-Delivery': `probe-${this.sent}`,
        'X-Hub-Signature-256': `sha256=${signature}`,
      },
      body,
    });
    await response.arrayBuffer();
    if (response.status !== 202) throw new Error(`A probe got the status ${response.status}`);
  }

  private async get(path: string): Promise<unknown> {
    const headers = { Authorization: `Bearer ${this.service.first.adminKey}` };
    const response = await fetch(this.service.url + path, { headers });
    if (!response.ok) throw new Error(`GET ${path} returned ${response.status}`);
    return response.json();
  }
}

/** Returns the payload of a tag push. The time of each tag is one second later than the time of the previous tag. */
function tagPush(name: string, number: number): object {
  const id = String(number).padStart(40, 'd');
  const timestamp = new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString();
  return {
    ref: `refs/tags/${name}`,
    before: '0'.repeat(40),
    after: id,
    commits: [],
    head_commit: { id, message: name, timestamp },
    repository: { id: 77, full_name: 'acme/probe', pushed_at: timestamp, owner: { login: 'acme', id: 7 } },
  };
}

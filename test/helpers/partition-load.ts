/**
 * A host under whose deliveries a service is killed: merged pull requests of a few repositories, each sent again with the
 * same delivery id until it is answered 2xx, as a patient host would.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { pullPayload } from './payloads.ts';
import type { TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

const repositories = [
  { id: 1001, full_name: 'acme/rocket' },
  { id: 1002, full_name: 'acme/moon' },
  { id: 1003, full_name: 'acme/orbit' },
] as const;

export class Load {
  /** Deliveries answered 2xx. */
  acknowledged = 0;
  private sent = 0;
  private going = true;
  private readonly writers: Promise<void>[];
  private service: TestService;

  /** Starts to send, `width` deliveries at a time. */
  constructor(service: TestService, width = 8) {
    this.service = service;
    this.writers = Array.from({ length: width }, () => this.write());
  }

  /** Waits until so many more deliveries are answered 2xx. */
  async progress(more: number, ms?: number): Promise<void> {
    const goal = this.acknowledged + more;
    await waitUntil(`${more} more deliveries are acknowledged`, () => this.acknowledged >= goal, ms);
  }

  /** Sends to another service, which took the place of the first. */
  moveTo(service: TestService): void {
    this.service = service;
  }

  /** Sends nothing new and waits until all that was sent is answered 2xx. */
  async finish(): Promise<void> {
    this.going = false;
    await Promise.all(this.writers);
    assert.equal(this.acknowledged, this.sent);
  }

  /** Checks by the API that every delivery is there, once. */
  async check(service: TestService): Promise<void> {
    await Promise.all(
      repositories.map(async ({ full_name }, i) => {
        const numbers = Math.floor((this.sent - i + repositories.length - 1) / repositories.length);
        await assertPulls(service, await repositoryNamed(service, full_name), numbers);
      }),
    );
  }

  private async write(): Promise<void> {
    while (this.going) {
      const nth = this.sent++;
      while (!(await this.send(nth))) await pause(30);
      this.acknowledged += 1;
    }
  }

  private async send(nth: number): Promise<boolean> {
    const repository = repositories[nth % repositories.length];
    const payload = pullPayload(Math.floor(nth / repositories.length) + 1, {}, repository);
    const headers = { 'x-scm-delivery': `load-${nth}` };
    const answer = await this.service.deliver('pull_request', payload, headers).catch(() => undefined);
    return answer !== undefined && answer.status < 300;
  }
}

/** The id of a repository, once the directory has heard of it. */
function repositoryNamed(service: TestService, fullName: string): Promise<string> {
  return waitUntil(`${fullName} is listed`, async () => {
    const { body } = await service.api('GET', '/api/repos');
    return body.repos.find((repository: { fullName: string }) => repository.fullName === fullName)?.id as string;
  });
}

/**
 * Waits until the API knows so many merged pull requests of a repository, those of the load and no more. Counts come later
 * than what is counted, sooner or later by what else the machine does.
 */
export async function assertPulls(service: TestService, repoId: string, expected: number): Promise<void> {
  const range = { repoId, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 1_000_000 };
  const made = await waitUntil('a range can be made', async () => {
    const answer = await service.api('POST', '/api/ranges', range);
    return answer.status === 201 && answer;
  });
  await waitUntil(`${expected} pull requests of ${repoId} are counted`, async () => {
    const { prCount } = (await service.api('GET', `/api/ranges/${made.body.id}`)).body;
    assert.ok(!(prCount > expected), `${prCount} pull requests instead of ${expected}`);
    return prCount === expected;
  });
}

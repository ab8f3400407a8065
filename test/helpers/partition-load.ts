/**
 * Sends deliveries of merged pull requests to a service, while a test kills the service. The load acts like a host that
 * never gives up: it repeats each delivery with the same delivery id until the reply is 2xx.
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
  /** Number of deliveries with a 2xx reply. */
  acknowledged = 0;
  private sent = 0;
  private going = true;
  private readonly writers: Promise<void>[];
  private service: TestService;

  /** Starts to send, with `width` concurrent deliveries. */
  constructor(service: TestService, width = 8) {
    this.service = service;
    this.writers = Array.from({ length: width }, () => this.write());
  }

  /** Waits until `more` additional deliveries have a 2xx reply. */
  async progress(more: number, ms?: number): Promise<void> {
    const goal = this.acknowledged + more;
    await waitUntil(`${more} more deliveries are acknowledged`, () => this.acknowledged >= goal, ms);
  }

  /** Sends all further deliveries to another service, which has replaced the previous one. */
  moveTo(service: TestService): void {
    this.service = service;
  }

  /** Stops sending new deliveries and waits until every delivery has a 2xx reply. */
  async finish(): Promise<void> {
    this.going = false;
    await Promise.all(this.writers);
    assert.equal(this.acknowledged, this.sent);
  }

  /** Checks through the API that every delivery was captured exactly once. */
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
      // After a failed test, the service is gone, but this loop continues. The loop's timer must not keep the process
      // alive.
      while (!(await this.send(nth))) await pause(30, undefined, { ref: false });
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

/** Waits until the API lists a repository, and returns the id of the repository. */
function repositoryNamed(service: TestService, fullName: string): Promise<string> {
  return waitUntil(`${fullName} is listed`, async () => {
    const { body } = await service.api('GET', '/api/repos');
    return body.repos.find((repository: { fullName: string }) => repository.fullName === fullName)?.id as string;
  });
}

/**
 * Waits until the API counts exactly the expected number of merged pull requests of a repository. The counts are
 * updated later than the data, and the delay depends on the load of the machine.
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

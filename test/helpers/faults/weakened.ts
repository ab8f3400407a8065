/**
 * Makes builds of the service that lack a safety check, to show that the tests of faults notice it. The service itself has
 * no setting for it.
 */
import type { TestContext } from 'node:test';
import { changedBuild } from '../cluster/builds.ts';

/** How long an attempt waits before its last check, in milliseconds. So a process can be suspended just before it. */
export const heldMs = 3000;

/** The line of a lead that looks at its clock. */
const timeCheck = /^( {4}return this\.held !== undefined) && \(leaseMs.*\);$/m;
/** The lines of an attempt before and at the last check, which asks the journal. */
const prepares = /^ {4}const prepared = await this\.prepare\(\)/m;
const begins = /^ {4}const attempt = await this\.begin\(prepared\.mailing\);$/m;

/**
 * Makes a build whose leads do not look at their clocks.
 * @param fence whether an attempt asks the journal before it sends. Without the fence, it sends if its process led when it
 *   was prepared.
 * @returns the main program of the build
 */
export function buildWithoutTimeCheck(t: TestContext, { fence }: { fence: boolean }): Promise<string> {
  return changedBuild(t, (patch) => {
    patch('workers/partition/lead.ts', timeCheck, (line) => `${line.slice(0, line.indexOf(' &&'))};`);
    const attempt = 'workers/publish/attempt.ts';
    patch(attempt, prepares, (line) => `    const led = this.context.lead.stamp.term !== undefined;\n${line}`);
    const unfenced = fence ? '' : ' ?? (led ? publication.attempted + 1 : undefined)';
    patch(
      attempt,
      begins,
      () => `    await pause(${heldMs});
    const attempt = (await this.begin(prepared.mailing))${unfenced};`,
    );
  });
}

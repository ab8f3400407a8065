/**
 * Removes single safety checks from a worker process, to show that the tests of faults notice it. Each function fails if
 * the code that it replaces is not there any more.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Lead } from '../../../workers/partition/lead.ts';
import { Attempt } from '../../../workers/publish/attempt.ts';
import type { PublishContext } from '../../../workers/publish/context.ts';

/** The parts of an attempt that are replaced. They are private, so the compiler does not know them here. */
interface Steps {
  readonly context: PublishContext;
  readonly publication: { attempted: number };
  prepare(): Promise<unknown>;
  begin(mailing: unknown): Promise<number | undefined>;
}

/** How long a prepared attempt waits, in milliseconds. So a process can be suspended just before its last check. */
export const heldMs = 3000;

/** Lets the lead act without looking at its clock. */
export function withoutTimeCheck(): void {
  const { get } = Object.getOwnPropertyDescriptor(Lead.prototype, 'holds') ?? {};
  assert.ok(get, 'the check of the lead has another name');
  Object.defineProperty(Lead.prototype, 'holds', {
    get(this: Lead) {
      return this.stamp.term !== undefined;
    },
  });
  const steps = stepsOfAttempts();
  const { prepare } = steps;
  steps.prepare = async function () {
    const prepared = await prepare.call(this);
    await pause(heldMs);
    return prepared;
  };
}

/**
 * Lets an attempt send without the verdict of the journal. It only asks whether this process led when the attempt was
 * prepared.
 */
export function withoutFence(): void {
  const steps = stepsOfAttempts();
  const { prepare, begin } = steps;
  const led = new WeakSet<Steps>();
  steps.prepare = function () {
    if (this.context.lead.stamp.term !== undefined) led.add(this);
    return prepare.call(this);
  };
  steps.begin = async function (mailing) {
    const attempt = await begin.call(this, mailing);
    return led.has(this) ? (attempt ?? this.publication.attempted + 1) : attempt;
  };
}

function stepsOfAttempts(): Steps {
  const steps = Attempt.prototype as unknown as Steps;
  for (const name of ['prepare', 'begin'] as const) assert.equal(typeof steps[name], 'function', name);
  return steps;
}

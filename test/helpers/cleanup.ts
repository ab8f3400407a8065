/**
 * What a test has to end or take away when it is over, in the reverse of the order in which it was begun: a service before
 * the folder that it writes to. The runner's own hooks run in the order of their making, and one that fails keeps the rest
 * from running.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

type Step = () => unknown;

const stepsOf = new WeakMap<TestContext, Step[]>();

/** Has a step done when the test is over, before those that were named earlier. All are done; the first fault is thrown. */
export function afterwards(t: TestContext, step: Step): void {
  const steps = stepsOf.get(t);
  if (steps) return void steps.push(step);
  const first = [step];
  stepsOf.set(t, first);
  t.after(() => undo(first));
}

async function undo(steps: Step[]): Promise<void> {
  const faults: unknown[] = [];
  for (let step = steps.pop(); step; step = steps.pop()) {
    try {
      await step();
    } catch (fault) {
      faults.push(fault);
    }
  }
  if (faults.length > 0) throw faults[0];
}

/** Kills a process and waits until it has ended, so that it writes nothing more. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

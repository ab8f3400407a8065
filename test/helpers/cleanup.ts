/**
 * Runs the cleanup steps of a test in reverse order of their registration. For example, a service ends before its
 * folder is removed. The test runner's own hooks are not suitable: they run in order of registration, and a hook that
 * fails stops the remaining hooks.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

type Step = () => unknown;

const stepsOf = new WeakMap<TestContext, Step[]>();

/**
 * Registers a step for the end of the test. The step runs before all steps that were registered earlier. After all
 * steps have run, the first error of a step is thrown.
 */
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

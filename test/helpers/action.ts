/** Reads the action of `deploy/action/`, and makes its step as a runner does. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const actionFolder = fileURLToPath(new URL('../../../deploy/action/', import.meta.url));

interface Action {
  inputs: Record<string, { description: string; required?: boolean; default?: string }>;
  outputs: Record<string, { description: string; value: string }>;
  runs: { using: string; steps: { id: string; shell: string; run: string; env: Record<string, string> }[] };
}

export const action = parse(readFileSync(`${actionFolder}action.yml`, 'utf8')) as Action;

/** Returns the command of the action's only step, and its environment for some inputs. */
export function stepOf(inputs: Record<string, string>): { command: string; env: Record<string, string> } {
  const [step] = action.runs.steps;
  if (!step) throw new Error('The action has no step.');
  const filledWith = (expression: string): string => {
    if (expression === 'github.action_path') return actionFolder.replace(/\/$/, '');
    const name = expression.replace(/^inputs\./, '');
    const input = action.inputs[name];
    if (!input) throw new Error(`The action has no input ${name}.`);
    return inputs[name] ?? input.default ?? '';
  };
  const filled = Object.entries(step.env).map(([name, text]) => [
    name,
    text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, expression: string) => filledWith(expression)),
  ]);
  return { command: step.run, env: Object.fromEntries(filled) };
}

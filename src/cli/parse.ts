/** Reads the arguments of an action. The table of commands declares which arguments and options the action has. */
import { parseArgs } from 'node:util';
import { didYouMean } from '../../config/nearest.ts';
import { usageLine } from './help.ts';
import { type CliAction, type CliOptions, UsageError, type Values } from './usage.ts';

/** The options and arguments that were given for an action. */
export interface Given {
  values: Values<CliOptions>;
  args: string[];
}

/**
 * Reads options and arguments.
 * @param name name of the command and its action, such as `keys create`
 * @throws UsageError for an unknown option, a missing value, and too few or too many arguments
 */
export function readArguments(name: string, action: CliAction, args: readonly string[]): Given {
  const options = action.options ?? {};
  const types = Object.fromEntries(
    Object.entries(options).map(([option, { value, many = false }]) => [
      option,
      { type: value ? 'string' : 'boolean', multiple: many } as const,
    ]),
  );
  // `strict` is false, because this file reports each kind of fault with its own message.
  const parsed = parseArgs({ args: [...args], options: types, allowPositionals: true, strict: false, tokens: true });
  for (const token of parsed.tokens) if (token.kind === 'option') checkOption(name, options, token);
  const values = parsed.values as Values<CliOptions>;
  checkRequired(options, values);
  const { min, max } = bounds(action.arguments);
  if (parsed.positionals.length < min || parsed.positionals.length > max)
    throw new UsageError(`Expected: ${usageLine(name, action)}`);
  argumentNames(action).forEach((argument, at) => {
    const given = parsed.positionals[at];
    if (given !== undefined) checkChoice(argument, action.choices?.[argument], given);
  });
  return { values, args: parsed.positionals };
}

/** An option as `parseArgs` returns it. */
interface Token {
  name: string;
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function checkOption(command: string, options: CliOptions, { name, rawName, value, inlineValue }: Token): void {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) {
    const known = [...Object.keys(options), 'help'].map((each) => `--${each}`);
    throw new UsageError(`tidings ${command} has no option ${JSON.stringify(rawName)}.${didYouMean(rawName, known)}`);
  }
  if (option.value === undefined && value !== undefined) throw new UsageError(`--${name}: expected no value`);
  if (option.value === undefined) return;
  // If the value looks like an option, the user forgot the value: in `--name --org acme`, `--name` has no value.
  const isForgotten = value === undefined || value === '' || (!inlineValue && /^-./.test(value));
  if (isForgotten) throw new UsageError(`--${name}: expected ${option.value}`);
  checkChoice(`--${name}`, option.choices, value);
}

function checkChoice(name: string, choices: readonly string[] | undefined, value: string): void {
  if (choices === undefined || choices.includes(value)) return;
  const list = `expected one of ${choices.join(', ')}, got ${JSON.stringify(value)}`;
  throw new UsageError(`${name}: ${list}.${didYouMean(value, choices)}`);
}

function checkRequired(options: CliOptions, values: Values<CliOptions>): void {
  const groups = new Map<string, string[]>();
  for (const [name, { required }] of Object.entries(options)) {
    const group = required === true ? name : required;
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  for (const names of groups.values()) {
    if (names.filter((name) => values[name] !== undefined).length === 1) continue;
    const shown = names.map((name) => `--${name}${options[name]?.value ? ` ${options[name].value}` : ''}`);
    throw new UsageError(`Expected ${shown.join(', or ')}`);
  }
}

/** Returns the names of an action's arguments in their order, without square brackets. */
export function argumentNames({ arguments: words = '' }: Pick<CliAction, 'arguments'>): string[] {
  return words.split(' ').flatMap((word) => word.replace(/[[\]]/g, '') || []);
}

/**
 * Returns the minimum and maximum number of arguments of an action. `words` names the arguments, with optional
 * arguments in square brackets.
 */
function bounds(words = ''): { min: number; max: number } {
  const count = (text: string): number => text.split(' ').filter((word) => word !== '').length;
  return { min: count(words.replace(/\[[^\]]*\]/g, '')), max: count(words) };
}

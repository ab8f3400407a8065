/** Makes the help of the command line from the table of commands. */
import { type Commands, isSingle } from './lookup.ts';
import { topics } from './topics.ts';
import type { CliAction, CliCommand, CliOption, CliOptions } from './usage.ts';

const widest = 100;
const helpRow = ['-h, --help', 'Shows this help'] as const;

/** Returns the help that lists all commands. */
export function overview(commands: Commands): string {
  return [
    'Tidings: release notes from merged pull requests',
    '',
    'Usage:',
    '  tidings COMMAND [ACTION] [ARGUMENTS] [OPTIONS]',
    '',
    'Commands:',
    ...columns(Object.entries(commands).map(([name, { help }]) => [name, help])),
    '',
    'Topics:',
    ...columns(Object.entries(topics).map(([name, { help }]) => [name, help])),
    '',
    'Options:',
    ...columns([
      ['-h, --help', 'Shows this help, or the help of one command'],
      ['--version', 'Shows the version'],
    ]),
    '',
    'Examples:',
    '  tidings doctor',
    '  tidings help keys',
    '',
    'Most commands connect to the running service and need the same settings as the service. To list the settings, run: tidings settings',
  ].join('\n');
}

/**
 * Returns the help of a command.
 * @param word name of the action to show; undefined = all actions of the command
 */
export function helpOf(name: string, command: CliCommand, word?: string): string {
  const shown = Object.entries(command.actions).filter(([each]) => word === undefined || each === word);
  const isOne = isSingle(command) || word !== undefined;
  const about = (word !== undefined && command.actions[word]?.help) || command.help;
  const { example } = command.actions[word ?? ''] ?? {};
  return [
    about,
    '',
    'Usage:',
    ...shown.flatMap(([each, action]) => wrapped(usageLine(`${name} ${each}`.trim(), action))),
    ...(isOne ? [] : ['', 'Actions:', ...columns(shown.map(([each, { help }]) => [each, help]))]),
    ...shown.flatMap(([each, { options = {} }]) => optionRows(options, isOne ? undefined : each)),
    '',
    'Examples:',
    ...(example === undefined ? command.examples : [example]).map((each) => `  tidings ${each}`),
  ].join('\n');
}

/** Returns one line with all arguments and options of an action. */
export function usageLine(name: string, { arguments: words, options = {} }: CliAction): string {
  return ['tidings', name, ...(words ? [words] : []), ...optionParts(options)].join(' ');
}

/** Returns the help of every command as Markdown, for `docs/commands.md`. */
export function commandsPage(commands: Commands): string {
  const sections = Object.entries(commands).map(
    ([name, command]) => `## ${name}\n\n\`\`\`\n${helpOf(name, command)}\n\`\`\`\n`,
  );
  return `## tidings\n\n\`\`\`\n${overview(commands)}\n\`\`\`\n\n${sections.join('\n')}`;
}

/** @param word the action that these options belong to; given only when the help shows several actions */
function optionRows(options: CliOptions, word: string | undefined): string[] {
  const rows = Object.entries(options).map(([name, option]) => [shown(name, option), option.help] as const);
  if (word === undefined) return ['', 'Options:', ...columns([...rows, helpRow])];
  return rows.length === 0 ? [] : ['', `Options of ${word}:`, ...columns(rows)];
}

function optionParts(options: CliOptions): string[] {
  const all = Object.entries(options);
  const parts = all.map(([name, option]) => {
    const { required } = option;
    if (required === true) return shown(name, option);
    if (required === undefined) return `[${shown(name, option)}]${option.many ? '...' : ''}`;
    return `(${all.flatMap(([each, other]) => (other.required === required ? shown(each, other) : [])).join(' | ')})`;
  });
  return [...new Set(parts)];
}

/** Returns an option with the name of its value. Example: `--persona PERSONA`. */
export function shown(name: string, { value }: CliOption): string {
  return `--${name}${value === undefined ? '' : ` ${value}`}`;
}

function columns(rows: readonly (readonly [string, string | undefined])[]): string[] {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second = '']) => `  ${first.padEnd(width)}  ${second}`.trimEnd());
}

/** Breaks a line between its parts, and indents the lines after the first. */
function wrapped(line: string): string[] {
  const lines: string[] = [];
  let now = ' ';
  for (const part of line.match(/\([^)]*\)|\[[^\]]*\](?:\.{3})?|--\S+ [^-([\s]\S*|\S+/g) ?? []) {
    if (now.length + 1 + part.length > widest) {
      lines.push(now);
      now = '     ';
    }
    now += ` ${part}`;
  }
  return [...lines, now];
}

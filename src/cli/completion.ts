/**
 * `tidings completion bash|zsh|fish`: prints a script that completes commands, actions, options and closed values in a
 * shell. The script is made from the table of commands.
 */
import { type Commands, isSingle } from './lookup.ts';
import { argumentNames } from './parse.ts';
import { printText } from './print.ts';
import { topics } from './topics.ts';
import { type CliAction, type CliCommand, type CliOption, type SingleEntry, single } from './usage.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** A value that is completed: one of a closed set, or the name of a file. Undefined for any other value. */
type Completed = readonly string[] | 'file' | undefined;

/** An action, with the words that select it. Example: `keys create`. */
interface Place {
  words: string;
  options: readonly (readonly [string, CliOption])[];
  arguments: readonly Completed[];
}

/** @param table returns the table of commands, which contains this command */
export function completionCommand(table: () => Commands): CliCommand {
  const entry = {
    arguments: 'SHELL',
    choices: { SHELL: shells },
    help: 'Prints a script that completes commands, options and values in bash, zsh or fish',
    examples: ['completion bash > ~/.local/share/bash-completion/completions/tidings', 'completion fish'],
  } as const satisfies SingleEntry;
  return single(entry, async () => async (_, [shell]) => {
    printText(completionScript(table(), shell as Shell).trimEnd());
    return 0;
  });
}

/** Returns the completion script for a shell. */
export function completionScript(commands: Commands, shell: Shell): string {
  if (shell === 'fish') return fishScript(commands);
  return `${core(commands)}\n${shell === 'bash' ? bashEnd : zshEnd}`;
}

function placesOf(commands: Commands): Place[] {
  const names = [...Object.keys(commands), ...Object.keys(topics)];
  return Object.entries(commands).flatMap(([name, { actions }]) =>
    Object.entries(actions).map(([word, action]) => ({
      words: `${name} ${word}`.trim(),
      options: Object.entries(action.options ?? {}),
      arguments: argumentNames(action).map((argument) =>
        argument === 'COMMAND|TOPIC' ? names : completedOf(argument, action.choices?.[argument]),
      ),
    })),
  );
}

function completedOf(name: string, choices: readonly string[] | undefined): Completed {
  return choices ?? (/\bFILE\b/.test(name) ? 'file' : undefined);
}

function flagsOf({ options }: Place): string {
  return [...options.map(([name]) => `--${name}`), '--help'].join(' ');
}

/** Returns the names of the commands that have several actions. */
function grouped(commands: Commands): [string, Readonly<Record<string, CliAction>>][] {
  return Object.entries(commands).flatMap(([name, command]) => (isSingle(command) ? [] : [[name, command.actions]]));
}

/**
 * Returns the function that bash and zsh share. Its arguments are the index of the current word and all words of the
 * command line. It sets `tidings_words` to the possible words, and `tidings_files` if file names are possible.
 */
function core(commands: Commands): string {
  const places = placesOf(commands);
  const valued = places.flatMap(({ words, options }) =>
    options.flatMap(([name, { value, choices }]) =>
      value === undefined ? [] : [[`${words} --${name}`, completedOf(value, choices)] as const],
    ),
  );
  const given = places.flatMap(({ words, arguments: all }) => all.map((each, at) => [`${words} ${at}`, each] as const));
  return `_tidings_words() {
  local current=$1; shift
  local word="\${@:$current:1}" last="\${@:$((current - 1)):1}" place="\${@:2:1}" first=3 count=0 flags='' valued=''
  tidings_words='' tidings_files=''
  if [ "$current" -eq 2 ]; then
    tidings_words='${[...Object.keys(commands), '--help', '--version'].join(' ')}'
    return
  fi
  case "$place" in
    ${grouped(commands)
      .map(([name]) => name)
      .join('|')}) first=4; place="$place \${@:3:1}" ;;
  esac
  if [ "$current" -lt "$first" ]; then
    case "\${@:2:1}" in
${lines(grouped(commands).map(([name, actions]) => [name, Object.keys(actions)] as const))}
    esac
    return
  fi
  case "$place" in
${places.map((place) => `    '${place.words}') flags='${flagsOf(place)}' valued=' ${valuedFlags(place)} ' ;;`).join('\n')}
  esac
  case "$valued" in
    *" $last "*)
      case "$place $last" in
${lines(valued)}
      esac
      return ;;
  esac
  case "$word" in
    -*) tidings_words=$flags; return ;;
  esac
  while [ "$first" -lt "$current" ]; do
    case "$valued" in
      *" \${@:$first:1} "*) first=$((first + 1)) ;;
      *) case "\${@:$first:1}" in -*) ;; *) count=$((count + 1)) ;; esac ;;
    esac
    first=$((first + 1))
  done
  case "$place $count" in
${lines(given)}
    *) tidings_words=$flags ;;
  esac
}`;
}

function valuedFlags({ options }: Place): string {
  return options.flatMap(([name, { value }]) => (value === undefined ? [] : `--${name}`)).join(' ');
}

/** Returns the lines of a `case` of the shell: which values are possible at a place. */
function lines(cases: readonly (readonly [string, Completed])[]): string {
  const known = cases.flatMap(([place, completed]) => (completed ? [[place, completed] as const] : []));
  return known
    .map(([place, completed]) =>
      completed === 'file'
        ? `      '${place}') tidings_files=1 ;;`
        : `      '${place}') tidings_words='${completed.join(' ')}' ;;`,
    )
    .join('\n');
}

/** Bash treats the sign = as a word of its own: `--persona=eng` is three words. */
const bashEnd = `# Completion of tidings for bash. To load it now: source <(tidings completion bash)
_tidings() {
  local word="\${COMP_WORDS[COMP_CWORD]}" i tidings_words tidings_files
  local -a words=()
  for ((i = 0; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == = ]] || words+=("\${COMP_WORDS[i]}")
  done
  [[ $word == = ]] && word=''
  _tidings_words $((\${#words[@]} + 1)) "\${words[@]}" "$word"
  COMPREPLY=($(compgen -W "$tidings_words" -- "$word"))
  if [[ -n $tidings_files ]]; then compopt -o default 2>/dev/null; fi
}
complete -F _tidings tidings
`;

const zshEnd = `# Completion of tidings for zsh. To load it now: source <(tidings completion zsh)
_tidings() {
  local tidings_words tidings_files
  _tidings_words "$CURRENT" "\${words[@]}"
  if [[ -n $tidings_files ]]; then _files; else compadd -- \${=tidings_words}; fi
}
compdef _tidings tidings
`;

function fishScript(commands: Commands): string {
  const places = placesOf(commands);
  return [
    '# Completion of tidings for fish. To load it now: tidings completion fish | source',
    'function __tidings_at',
    '    set -l words (commandline -opc)',
    '    set -l last (math 1 + (count $argv))',
    '    test "$words[2..$last]" = "$argv"',
    'end',
    'function __tidings_count',
    '    test (count (commandline -opc)) -eq $argv[1]',
    'end',
    'complete -c tidings -f',
    "complete -c tidings -s h -l help -d 'Shows the help'",
    "complete -c tidings -n '__tidings_count 1' -l version -d 'Shows the version'",
    ...Object.entries(commands).map(([name, { help }]) => fishLine('__tidings_count 1', `-a ${name}`, help)),
    ...grouped(commands).flatMap(([name, actions]) =>
      Object.entries(actions).map(([word, { help }]) =>
        fishLine(`__tidings_count 2; and __tidings_at ${name}`, `-a ${word}`, help),
      ),
    ),
    ...places.flatMap(fishLines),
    '',
  ].join('\n');
}

/** Fish does not count arguments here: the values of all arguments of an action are possible at each of them. */
function fishLines({ words, options, arguments: all }: Place): string[] {
  const at = `__tidings_at ${words}`;
  return [
    ...options.map(([name, { value, choices, help }]) => fishLine(at, `-l ${name}${fishValue(value, choices)}`, help)),
    ...all.flatMap((completed) => {
      if (completed === undefined) return [];
      return completed === 'file' ? fishLine(at, '-F') : fishLine(at, `-a ${fishQuoted(completed.join(' '))}`);
    }),
  ];
}

function fishValue(value: string | undefined, choices: readonly string[] | undefined): string {
  if (value === undefined) return '';
  const completed = completedOf(value, choices);
  if (completed === 'file') return ' -r -F';
  return completed === undefined ? ' -x' : ` -x -a ${fishQuoted(completed.join(' '))}`;
}

function fishLine(condition: string, what: string, help?: string): string {
  const description = help === undefined ? '' : ` -d ${fishQuoted(help)}`;
  return `complete -c tidings -n ${fishQuoted(condition)} ${what}${description}`;
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

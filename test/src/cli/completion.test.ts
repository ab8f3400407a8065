/**
 * Tests the scripts that complete command lines. Bash runs its script. Zsh and fish run theirs where they are installed;
 * elsewhere, the scripts of bash and zsh share the tested function, and the lines of the script for fish are checked.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { commands } from '../../../src/cli/commands.ts';
import { completionScript } from '../../../src/cli/completion.ts';
import { channelNames } from '../../../src/protocol/names.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

/** Command lines, and the words that complete their last word. `FILES` means that names of files are completed. */
const cases: [string[], string[]][] = [
  [['ke'], ['keys']],
  [['web'], ['webhook-secrets', 'webhooks']],
  [['--v'], ['--version']],
  [
    ['keys', ''],
    ['create', 'list', 'rotate', 'revoke'],
  ],
  [['keys', 'create', '--na'], ['--name']],
  [['keys', 'create', '--name', 'x', '--org', 'acme', '--sc'], ['--scopes']],
  [['keys', 'create', '--name', ''], []],
  [['publish', 'draft_x', '--channel', 'h'], ['hosted']],
  [['publish', '--channel', ''], [...channelNames]],
  [['channels', 'put', 'of'], ['office_chat']],
  [['channels', 'put', '--org', 'acme', 'of'], ['office_chat']],
  [['channels', 'put', 'hosted', ''], ['FILES']],
  [['repos', 'settings', 'acme/rocket', '--try', ''], ['FILES']],
  [['repos', 'settings', '--j'], ['--json']],
  [
    ['orgs', 'keep-published', 'acme', ''],
    ['true', 'false'],
  ],
  [['completion', 'f'], ['fish']],
  [['help', 'exit'], ['exit-codes']],
];

function scriptFile(t: TestContext, shell: 'bash' | 'zsh' | 'fish'): string {
  const file = join(temporaryFolder(t), `tidings.${shell}`);
  writeFileSync(file, completionScript(commands, shell));
  return file;
}

function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, ''], `${program}: ${stderr}`);
  return stdout;
}

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

test('bash completes commands, actions, options, closed values and files', (t) => {
  const file = scriptFile(t, 'bash');
  const complete = `source "$0"; compopt() { echo FILES; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tidings
    for each in "\${COMPREPLY[@]}"; do echo "$each"; done`;
  for (const [words, expected] of cases)
    assert.deepEqual(
      run('bash', '-c', complete, file, 'tidings', ...words)
        .split('\n')
        .slice(0, -1),
      expected,
      words.join(' '),
    );
  // Bash splits `--channel=ho` into three words.
  assert.equal(run('bash', '-c', complete, file, 'tidings', 'publish', '--channel', '=', 'ho'), 'hosted\n');
  assert.match(run('bash', '-c', 'source "$0"; complete -p tidings', file), /-F _tidings tidings/);
});

test('the script for zsh completes the same', (t) => {
  const file = scriptFile(t, 'zsh');
  run('bash', '-n', file);
  const shared = (shell: 'bash' | 'zsh'): string => completionScript(commands, shell).split('\n}\n')[0] as string;
  assert.equal(shared('zsh'), shared('bash'));
  if (!isInstalled('zsh')) return;
  const complete = `compdef() { : }; _files() { print FILES }; compadd() { shift; print -rl -- "$@" }
    source "$0"; words=("$@"); CURRENT=$#; _tidings`;
  for (const [words, expected] of cases) {
    const found = run('zsh', '-f', '-c', complete, file, 'tidings', ...words).split('\n');
    const begun = found.filter((each) => each !== '' && (each === 'FILES' || each.startsWith(words.at(-1) as string)));
    assert.deepEqual(begun, expected, words.join(' '));
  }
});

test('the script for fish has a line for each command, action, option and closed value', (t) => {
  const script = completionScript(commands, 'fish');
  const lines = script.split('\n');
  for (const [name, { actions }] of Object.entries(commands)) {
    assert.ok(
      lines.some((line) => line.startsWith(`complete -c tidings -n '__tidings_count 1' -a ${name} -d '`)),
      name,
    );
    for (const [word, { options = {} }] of Object.entries(actions))
      for (const option of Object.keys(options)) {
        const start = `complete -c tidings -n '__tidings_at ${`${name} ${word}`.trim()}' -l ${option} `;
        assert.ok(
          lines.some((line) => line.startsWith(start)),
          start,
        );
      }
  }
  assert.ok(script.includes(`-l channel -x -a '${channelNames.join(' ')}'`));
  for (const line of lines) assert.equal((line.replaceAll("\\'", '').match(/'/g) ?? []).length % 2, 0, line);
  if (!isInstalled('fish')) return;
  const file = scriptFile(t, 'fish');
  for (const [words, expected] of cases.filter(([, each]) => !each.includes('FILES') && each.length > 0)) {
    const line = ['tidings', ...words].join(' ');
    const found = run('fish', '--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', file, line);
    const completed = found.split('\n').map((each) => each.split('\t')[0]);
    for (const each of expected) assert.ok(completed.includes(each), line);
  }
});

/**
 * Tests the command line. The table of commands determines the help, the options, the arguments, and the messages for
 * wrong options and arguments.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { commands } from '../../../src/cli/commands.ts';
import { exitCodeOf, exitCodes } from '../../../src/cli/exit.ts';
import { helpOf, overview, usageLine } from '../../../src/cli/help.ts';
import { actionNamed, isSingle } from '../../../src/cli/lookup.ts';
import { readArguments } from '../../../src/cli/parse.ts';
import { type Topic, topics } from '../../../src/cli/topics.ts';
import { type CliAction, type CliCommand, ConflictError, NotFoundError, UsageError } from '../../../src/cli/usage.ts';
import { ServiceError } from '../../../src/foundation/errors.ts';
import { channelNames } from '../../../src/protocol/names.ts';

test('a wrong command line is refused with a suggestion and the command for help', async () => {
  const wrong: [string[], string][] = [
    [['nonsense'], 'There is no command "nonsense". Run: tidings help'],
    [['deadletters'], 'There is no command "deadletters". Did you mean dead-letters? Run: tidings help'],
    [['--hlep'], 'There is no option "--hlep". Did you mean --help? Run: tidings help'],
    [['keys'], 'Expected: tidings keys create, list, rotate or revoke. Run: tidings help keys'],
    [
      ['keys', 'lst'],
      'Expected: tidings keys create, list, rotate or revoke, got "lst". Did you mean list? Run: tidings help keys',
    ],
    [
      ['keys', 'toString'],
      'Expected: tidings keys create, list, rotate or revoke, got "toString". Run: tidings help keys',
    ],
    [
      ['keys', 'list', '--jsn'],
      'tidings keys list has no option "--jsn". Did you mean --json? Run: tidings help keys list',
    ],
    [['keys', 'list', '-x'], 'tidings keys list has no option "-x". Run: tidings help keys list'],
    [['keys', 'list', '--json=yes'], '--json: expected no value. Run: tidings help keys list'],
    [['keys', 'list', 'acme'], 'Expected: tidings keys list [--json]. Run: tidings help keys list'],
    [['keys', 'create', '--name', '--org', 'o'], '--name: expected NAME. Run: tidings help keys create'],
    [['keys', 'create', '--name'], '--name: expected NAME. Run: tidings help keys create'],
    [['keys', 'create', '--name=', '--org', 'o'], '--name: expected NAME. Run: tidings help keys create'],
    [['keys', 'create', '--org', 'o'], 'Expected --name NAME. Run: tidings help keys create'],
    [['keys', 'create', '--name', 'n'], 'Expected --org ORGANIZATION, or --instance. Run: tidings help keys create'],
    [['orgs', 'tier', 'acme'], 'Expected: tidings orgs tier LOGIN|ID TIER. Run: tidings help orgs tier'],
    [['start', '--port', '80'], 'tidings start has no option "--port". Run: tidings help start'],
    [['help', 'kyes'], 'There is no command "kyes". Did you mean keys? Run: tidings help'],
    [
      ['help', 'orgs', 'lists'],
      'Expected: tidings orgs list, tier or keep-published, got "lists". Did you mean list? Run: tidings help orgs',
    ],
    [['help', 'exit-code'], 'There is no command "exit-code". Did you mean exit-codes? Run: tidings help'],
    [
      ['completion', 'fihs'],
      'SHELL: expected one of bash, zsh, fish, got "fihs". Did you mean fish? Run: tidings help completion',
    ],
    [
      ['orgs', 'keep-published', 'acme', 'yes'],
      'true|false: expected one of true, false, got "yes". Run: tidings help orgs keep-published',
    ],
    [
      ['publish', 'draft_x', '--channel', 'hostd'],
      `--channel: expected one of ${channelNames.join(', ')}, got "hostd". Did you mean hosted? Run: tidings help publish`,
    ],
    [['notes'], `Expected: ${usageLine('notes', actionNamed('notes', commands.notes as CliCommand))}`],
    [['notes', 'a/b', 'v1'], 'Expected two tags as FROM..TO, such as v1.0.0..v1.1.0, got "v1"'],
    [['notes', 'a/b', 'v1..v1'], 'Expected two different tags as FROM..TO, got "v1..v1"'],
    [['notes', 'a/b', '--draft'], '--draft needs --publish scm_releases'],
    [['notes', 'a/b', '--json', '--watch'], '--json cannot be used together with --watch'],
    [['notes', 'a/b', '--publish', 'hosted', '--watch'], '--publish cannot be used together with --watch'],
    [['notes', 'a/b', 'v1..v2', '--unreleased'], '--unreleased cannot be used together with FROM..TO'],
    [['notes', 'a/b', '--branch', 'main'], '--branch needs --unreleased'],
    [['notes', 'a/b', '--timeout', '0'], '--timeout: expected a number of seconds from 1 to 99999, got 0'],
    [['kyes', '--help'], 'There is no command "kyes". Did you mean keys? Run: tidings help'],
  ];
  for (const [args, message] of wrong)
    await assert.rejects(runCommandLine(args), (error) => {
      assert.ok(error instanceof UsageError);
      assert.equal(error.message, message.includes('Run: ') ? message : `${message}. Run: tidings help ${args[0]}`);
      return true;
    });
});

test('options, alternatives and arguments are read', () => {
  const entry: CliAction = {
    arguments: 'FIRST [SECOND THIRD]',
    options: { name: { value: 'NAME', help: '' }, loud: { help: '' } },
    run: async () => 0,
  };
  const read = (...args: string[]) => {
    const { values, args: given } = readArguments('do', entry, args);
    return [{ ...values }, given];
  };
  assert.deepEqual(read('a'), [{}, ['a']]);
  assert.deepEqual(read('a', '--loud', 'b', '--name', 'x', 'c'), [{ loud: true, name: 'x' }, ['a', 'b', 'c']]);
  assert.deepEqual(read('--name=--x', '--', '--loud'), [{ name: '--x' }, ['--loud']]);
  assert.throws(() => read(), /^UsageError: Expected: tidings do FIRST \[SECOND THIRD\] \[--name NAME\] \[--loud\]$/);
  assert.throws(() => read('a', 'b', 'c', 'd'), UsageError);
});

test('an option with closed values is checked, and an option may be given several times', () => {
  const entry: CliAction = {
    arguments: 'COLOR',
    choices: { COLOR: ['red', 'blue'] },
    options: { size: { value: 'SIZE', choices: ['small', 'large'], many: true, help: '' } },
    run: async () => 0,
  };
  const read = (...args: string[]) => readArguments('do', entry, args);
  assert.deepEqual({ ...read('red', '--size', 'small', '--size=large').values }, { size: ['small', 'large'] });
  assert.deepEqual({ ...read('red').values }, {});
  assert.throws(() => read('rde'), /^UsageError: COLOR: expected one of red, blue, got "rde"\. Did you mean red\?$/);
  assert.throws(
    () => read('red', '--size', 'small', '--size', 'larg'),
    /^UsageError: --size: expected one of small, large, got "larg"\. Did you mean large\?$/,
  );
  assert.throws(() => read(), /Expected: tidings do COLOR \[--size SIZE\]\.\.\.$/);
});

test('each kind of failure has its exit code', () => {
  const failures: [Error, number][] = [
    [new UsageError('a'), 2],
    [new NotFoundError('a'), 3],
    [new ServiceError('notFound', 'a'), 3],
    [new ConflictError('a'), 4],
    [new ServiceError('preconditionFailed', 'a'), 4],
    [new ServiceError('conflict', 'the channel is not connected'), 1],
    [new Error('a'), 1],
  ];
  for (const [error, code] of failures) assert.equal(exitCodeOf(error), code, String(error));
  const explained = (topics['exit-codes'] as Topic).text.map((line) => Number.parseInt(line, 10));
  assert.deepEqual(explained, Object.values(exitCodes));
});

test('every command and action has help, a line for each option, and readable examples', () => {
  const list = overview(commands);
  for (const [name, command] of Object.entries(commands)) {
    assert.ok(list.includes(`\n  ${name} `) && list.includes(`  ${command.help}\n`), name);
    assert.ok(command.examples.length <= 3, `${name} has one to three examples`);
    for (const [word, { help, options = {} }] of Object.entries(command.actions)) {
      assert.equal(help === undefined, isSingle(command), `${name} ${word} has a line of help`);
      const text = helpOf(name, command, isSingle(command) ? undefined : word);
      assert.match(text, new RegExp(`^  tidings ${name} ${word}`.trimEnd(), 'm'));
      for (const [option, { help: about }] of Object.entries(options)) {
        const line = text.split('\n').find((each) => each.startsWith(`  --${option} `));
        assert.ok(line?.endsWith(about), `${name} ${word} --${option}`);
      }
      assert.ok(
        text.split('\n').every((line) => line.length <= 130 && line === line.trimEnd()),
        text,
      );
    }
    const actions = Object.entries(command.actions);
    for (const [word, { example }] of actions.filter(([word]) => word !== ''))
      assert.ok(example?.startsWith(`${name} ${word} `) || example === `${name} ${word}`, `${name} ${word}`);
    for (const example of [...command.examples, ...actions.flatMap(([, each]) => each.example ?? [])])
      assert.doesNotThrow(() => readExample(example), example);
  }
});

/** Parses a command that the documents show as an example. Ignores a redirection (`>`) and everything after it. */
function readExample(example: string): void {
  const [name = '', ...args] = example.replace(/ > .*/, '').split(' ');
  const command = commands[name];
  assert.ok(command, name);
  if (isSingle(command)) readArguments(name, actionNamed(name, command), args);
  else readArguments(name, actionNamed(name, command, args[0]), args.slice(1));
}

/**
 * Defines the types of the table of commands. Parsing, help and `docs/commands.md` are made from the entries of this
 * table only.
 */

/** Thrown for a command line that cannot be run. The message states what was expected. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Thrown when the object that a command line names does not exist. */
export class NotFoundError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotFoundError';
  }
}

/** Thrown when a draft has conflicts that a person must resolve first. */
export class ConflictError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConflictError';
  }
}

/** An option of an action. */
export interface CliOption {
  /** Name of the option's value in the help. An option without this field is a switch. */
  value?: string;
  /** The values that the option accepts. Without this field, the action checks the value. */
  choices?: readonly string[];
  /** Whether the option may be given more than once. */
  many?: true;
  /** One line of help for the option. */
  help: string;
  /**
   * If this field is true, the option must be given. If it is a text, the text is the name of a group of options, and
   * exactly one option of the group must be given.
   */
  required?: true | string;
}

export type CliOptions = Readonly<Record<string, CliOption>>;

/** The type of the values that were given for options. */
export type Values<T extends CliOptions> = {
  readonly [K in keyof T as T[K] extends { required: true } ? K : never]: Value<T[K]>;
} & {
  readonly [K in keyof T as T[K] extends { required: true } ? never : K]?: Value<T[K]>;
};

type Value<T extends CliOption> = T extends { many: true }
  ? readonly Choice<T>[]
  : T extends { value: string }
    ? Choice<T>
    : boolean;

type Choice<T extends CliOption> = T extends { choices: readonly (infer C)[] } ? C : string;

/** The declaration of an action, such as `create` of `tidings keys create`. */
export interface ActionEntry {
  /** Arguments of the action. Those in square brackets are optional: `PARTITION [FILE]`. */
  arguments?: string;
  /** The values that an argument accepts, by the name of the argument in `arguments`. */
  choices?: Readonly<Record<string, readonly string[]>>;
  /**
   * One line of help for the action. A command with a single unnamed action does not set this field, because the help
   * of the command is enough.
   */
  help?: string;
  /** An example command line, without the leading `tidings`. A command with a single action has its own examples. */
  example?: string;
  options?: CliOptions;
}

/** The fields that the declarations of all commands have. */
interface Entry {
  /** One line of help for the command. */
  help: string;
  /** Example command lines, without the leading `tidings`. */
  examples: readonly [string, ...string[]];
}

/** The declaration of a command with named actions. */
export interface CommandEntry extends Entry {
  actions: Readonly<Record<string, ActionEntry>>;
}

/** The declaration of a command that has a single action without a name. */
export interface SingleEntry extends Entry, Omit<ActionEntry, 'help' | 'example'> {}

/**
 * Carries out an action. The types of the option values are derived from the declaration of the action.
 * @returns the exit code
 * @throws UsageError for wrong values. The caller adds the help command to the message.
 */
export type Run<T extends ActionEntry> = (values: Given<T>, args: readonly string[]) => Promise<number>;

/** The type of the option values of an action. */
export type Given<T extends ActionEntry> = Values<OptionsOf<T>>;

type OptionsOf<T> = T extends { options: infer Options extends CliOptions } ? Options : Record<never, CliOption>;

/** Carries out the actions of a command, by their names. */
export type Runs<T extends CommandEntry> = { readonly [K in keyof T['actions']]: Run<T['actions'][K]> };

/** An action that can be run. */
export interface CliAction extends ActionEntry {
  run: (values: Values<CliOptions>, args: readonly string[]) => Promise<number>;
}

/** One command of the table. */
export interface CliCommand extends Entry {
  /** Actions by name. A command without named actions has a single action with the name ''. */
  actions: Readonly<Record<string, CliAction>>;
}

/**
 * Makes a command with named actions from its declaration.
 * @param load loads the implementation. It is called when an action runs, so that the other commands start faster.
 */
export function group<const T extends CommandEntry>(entry: T, load: () => Promise<Runs<T>>): CliCommand {
  const actions = Object.entries(entry.actions).map(([word, action]) => {
    const run: CliAction['run'] = async (...given) => ((await load())[word] as CliAction['run'])(...given);
    return [word, { ...action, run }] as const;
  });
  return { ...entry, actions: Object.fromEntries(actions) };
}

/**
 * Makes a command that has a single action from its declaration.
 * @param load loads the implementation, as in {@link group}
 */
export function single<const T extends SingleEntry>(entry: T, load: () => Promise<Run<T>>): CliCommand {
  const { help, examples, ...action } = entry;
  const run: CliAction['run'] = async (...given) => ((await load()) as CliAction['run'])(...given);
  return { help, examples, actions: { '': { ...action, run } } };
}

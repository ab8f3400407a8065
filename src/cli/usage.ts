/**
 * The shape of commands. What is declared here is all there is: parsing, help and `docs/commands.md` are made from it.
 */

/** A command line that cannot be carried out; the message says what was expected. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** An option of an action. */
export interface CliOption {
  /** Name of its value in help. An option without one is a switch. */
  value?: string;
  /** One line of help. */
  help: string;
  /** It must be given. Of options with the same text exactly one must be given. */
  required?: true | string;
}

export type CliOptions = Readonly<Record<string, CliOption>>;

/** The values that were given for options. */
export type Values<T extends CliOptions> = {
  readonly [K in keyof T as T[K] extends { required: true } ? K : never]: string;
} & {
  readonly [K in keyof T as T[K] extends { required: true } ? never : K]?: T[K] extends { value: string }
    ? string
    : boolean;
};

/** What a command does after one of its words, such as `create` of `tidings keys create`. */
export interface CliAction<T extends CliOptions = CliOptions> {
  /** Its arguments; those in square brackets may be left out: `PARTITION [FILE]`. */
  arguments?: string;
  /** One line of help. A command without such words has its help itself. */
  help?: string;
  options?: T;
  /**
   * Carries it out.
   * @returns the exit code
   * @throws UsageError for values that cannot be right; the way to the help is added to its message
   */
  run(values: Values<T>, args: readonly string[]): Promise<number>;
}

/** One command of the table. */
export interface CliCommand {
  /** One line of help. */
  help: string;
  /** By their words; a command without such words has one action, called ''. */
  actions: Readonly<Record<string, CliAction>>;
  /** Command lines without the leading `tidings`. */
  examples: readonly [string, ...string[]];
}

/** An action, its values typed by its options. */
export function action<const T extends CliOptions>(entry: CliAction<T>): CliAction {
  return entry as unknown as CliAction;
}

/** A command without further words. */
export function single<const T extends CliOptions>({
  help,
  examples,
  ...entry
}: CliAction<T> & Pick<CliCommand, 'help' | 'examples'>): CliCommand {
  return { help, examples, actions: { '': entry as unknown as CliAction } };
}

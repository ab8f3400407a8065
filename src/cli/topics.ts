/** Contains the topics of the help: pages that are not about one command. */
import { exitCodes } from './exit.ts';

/** A page of the help. */
export interface Topic {
  /** One line for the list of topics. */
  help: string;
  text: readonly string[];
}

export const topics: Readonly<Record<string, Topic>> = {
  'exit-codes': {
    help: 'The exit codes of commands',
    text: [
      `${exitCodes.done}  The command succeeded.`,
      `${exitCodes.failed}  The command failed. The message on standard error states the reason.`,
      `${exitCodes.usage}  The command line is wrong. The message states what was expected.`,
      `${exitCodes.notFound}  The repository, tag, draft or other object does not exist.`,
      `${exitCodes.conflict}  A draft is outdated or has conflicts that a person must resolve.`,
    ],
  },
  output: {
    help: 'What commands print, and where',
    text: [
      'Results go to standard output. Progress, warnings and errors go to standard error.',
      'Commands that print a list take --json and then print the reply of the API, with all items on one page.',
      'NO_COLOR in the environment turns colors off. A pipe or a file never gets colors.',
      'Characters that a terminal would interpret are escaped, or removed from Markdown.',
    ],
  },
};

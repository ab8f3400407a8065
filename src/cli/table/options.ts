/** Declares options that several commands have. */
import { personas } from '../../protocol/names.ts';

/**
 * Declares the option `--json`.
 * @param reply text that describes the output in the help, such as `the reply of GET /api/keys`
 */
export function jsonOption(reply: string) {
  return { json: { help: `Prints JSON: ${reply}` } };
}

export const personaOption = { value: 'PERSONA', choices: personas } as const;

/** The options that choose the unreleased changes of a repository. */
export const unreleasedOptions = {
  branch: { value: 'BRANCH', help: 'Branch whose unreleased changes count (default: the default branch)' },
  tags: { value: 'PATTERN', help: 'Counts only release tags that match, such as pkg@*' },
  prereleases: { help: 'Counts prereleases as releases' },
} as const;

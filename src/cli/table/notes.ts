/** Declares the commands that make, list and publish notes: `notes`, `version`, `ranges`, `drafts`, `pulls` and `publish`. */
import { channelNames, personas } from '../../protocol/names.ts';
import type { SingleEntry } from '../usage.ts';
import { jsonOption, personaOption, unreleasedOptions } from './options.ts';

/** Maximum time that `tidings notes` waits for the drafts, in seconds. */
export const usualTimeout = 300;

export const notesEntry = {
  arguments: 'OWNER/REPO|REPO_ID [FROM..TO]',
  help: 'Generates the notes between two tags, or since the newest release, prints them, and publishes them on request',
  options: {
    persona: {
      ...personaOption,
      many: true,
      help: `Makes only the notes for this persona; may be given again: ${personas.join(', ')} (default: all)`,
    },
    publish: {
      value: 'CHANNEL',
      choices: channelNames,
      many: true,
      help: 'Publishes the notes on this channel; may be given again',
    },
    draft: { help: 'Creates draft releases on the host; needs --publish scm_releases' },
    unreleased: { help: 'Makes the notes of what was merged since the newest release' },
    ...unreleasedOptions,
    timeout: { value: 'SECONDS', help: `Maximum time to wait for the drafts (default: ${usualTimeout})` },
    watch: { help: 'Continues, and prints the notes again after each change' },
    ...jsonOption('{"range", "drafts", "publications"} in the forms of the API'),
  },
  examples: [
    'notes acme/rocket v1.0.0..v1.1.0 --persona customer > NOTES.md',
    'notes acme/rocket --publish hosted --publish scm_releases',
    'notes acme/rocket --unreleased --watch',
  ],
} as const satisfies SingleEntry;

export const versionEntry = {
  arguments: 'OWNER/REPO|REPO_ID',
  help: 'Prints the version that the changes since the newest release suggest for the next release',
  options: { ...unreleasedOptions, ...jsonOption('the reply of GET /api/repos/{repoId}/unreleased, with all changes') },
  examples: ['version acme/rocket', 'version acme/rocket --branch release-1.x --json'],
} as const satisfies SingleEntry;

export const rangesEntry = {
  arguments: 'OWNER/REPO|REPO_ID',
  help: 'Lists the release ranges of a repository, the newest first',
  options: jsonOption('the reply of GET /api/ranges'),
  examples: ['ranges acme/rocket', 'ranges acme/rocket --json'],
} as const satisfies SingleEntry;

export const draftsEntry = {
  arguments: 'OWNER/REPO|REPO_ID',
  help: 'Lists the drafts of a repository',
  options: {
    range: { value: 'RANGE', help: 'Lists only the drafts of one range; an id, or bounds such as v1.0.0..v1.1.0' },
    persona: { ...personaOption, help: `Lists only the drafts for one persona: ${personas.join(', ')}` },
    outdated: { help: 'Lists only drafts that are outdated: generating them now would give another text' },
    ...jsonOption('drafts in the form of the reply of GET /api/drafts'),
  },
  examples: ['drafts acme/rocket --outdated', 'drafts acme/rocket --range v1.0.0..v1.1.0 --json'],
} as const satisfies SingleEntry;

/** The options that select pull requests of the list. */
export const pullFilters = {
  state: {
    value: 'STATE',
    choices: ['open', 'closed', 'merged'],
    help: 'Lists only those in this state: open, closed, merged',
  },
  label: { value: 'LABEL', help: 'Lists only those with this label' },
  base: { value: 'BRANCH', help: 'Lists only those into this branch' },
  limit: { value: 'N', help: 'Lists only the newest N (default: all)' },
} as const;

export const pullsEntry = {
  arguments: 'OWNER/REPO|REPO_ID [NUMBER]',
  help: 'Lists the captured pull requests of a repository, the newest first, or shows what the notes say about one of them',
  options: {
    ...pullFilters,
    ...jsonOption('the reply of GET /api/repos/{repoId}/pulls; with NUMBER {"pull", "note"} in the forms of the API'),
  },
  examples: ['pulls acme/rocket --state merged --limit 20', 'pulls acme/rocket 41'],
} as const satisfies SingleEntry;

export const publishEntry = {
  arguments: 'DRAFT_ID',
  help: 'Publishes a draft on a channel and reports the result',
  options: {
    channel: {
      value: 'CHANNEL',
      choices: channelNames,
      required: true,
      help: `One of ${channelNames.join(', ')}`,
    },
    draft: { help: 'Creates a draft release on the host' },
    strict: { help: 'Refuses a draft that is outdated or has conflicts' },
  },
  examples: ['publish draft_0000000000000000000000000000 --channel hosted'],
} as const satisfies SingleEntry;

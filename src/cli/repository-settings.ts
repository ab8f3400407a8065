/**
 * `tidings repos settings`: shows the notes settings of a repository, replaces them with those in a JSON file, or shows
 * which difference the settings in the file would make.
 */
import { type ApiContext, partitionOfId, readPartition, runCommand } from '../api/context.ts';
import { toSettings, trySettings } from '../api/settings.ts';
import type { NotesSettings } from '../protocol/notes.ts';
import type { DraftDifference, RangeDifference, SettingsPreview } from '../protocol/settings-preview.ts';
import { readSettings } from '../store/tables/settings.ts';
import { withService } from './connection.ts';
import { printJson } from './json.ts';
import { readJsonFile } from './json-file.ts';
import { type Color, type ColoredLine, printColored } from './print.ts';
import { findRepository } from './repository.ts';
import type { repositoriesEntry } from './table/access.ts';
import { type Runs, UsageError } from './usage.ts';

/** Time after which a command that still waits for the service says so, in milliseconds. */
const patienceMs = 1000;

export const runSettings: Runs<typeof repositoriesEntry>['settings'] = async (
  { try: tried, json = false },
  [wanted = '', file],
) => {
  if (tried !== undefined && file !== undefined)
    throw new UsageError(`--try writes nothing, so it cannot be used together with the argument ${file}`);
  const given = tried ?? file;
  const settings = given === undefined ? undefined : toSettings(readJsonFile(given));
  return withService((context) => {
    if (settings === undefined) return show(context, wanted);
    return tried === undefined ? replace(context, wanted, settings) : tryOut(context, wanted, settings, json);
  });
};

async function show(context: ApiContext, wanted: string): Promise<number> {
  const { id } = findRepository(context.readers, wanted);
  return printJson(readSettings(readPartition(context, partitionOfId(context, id) as string), id));
}

async function replace(context: ApiContext, wanted: string, settings: NotesSettings): Promise<number> {
  const { id: repoId } = findRepository(context.readers, wanted);
  await runCommand(context, partitionOfId(context, repoId) as string, { name: 'putSettings', repoId, settings });
  return printJson(settings);
}

async function tryOut(context: ApiContext, wanted: string, settings: NotesSettings, json: boolean): Promise<number> {
  const { id, fullName } = findRepository(context.readers, wanted);
  const waiting = setTimeout(() => process.stderr.write('Rendering the drafts of the last tag ranges…\n'), patienceMs);
  let preview: SettingsPreview;
  try {
    preview = await trySettings(context, id, settings);
  } finally {
    clearTimeout(waiting);
  }
  if (json) return printJson(preview);
  printColored(describePreview(fullName, preview));
  return 0;
}

/** Returns the lines that describe a preview: for each range a summary and the diffs of its drafts. */
export function describePreview(fullName: string, { ranges }: SettingsPreview): ColoredLine[] {
  if (ranges.length === 0)
    return [plain(`${fullName} has no range to try the settings on. A range needs two tags whose commits are known.`)];
  const lines = ranges.flatMap((range) => [...describeRange(range), plain('')]);
  const differing = ranges.filter(({ personas }) => personas.some(differs)).length;
  const total = `The drafts of ${differing} of ${count(ranges.length, 'range')} would differ. Nothing was written.`;
  return [...lines, plain(total)];
}

function describeRange({ fromTag, toTag, prCount, issueCount, personas }: RangeDifference): ColoredLine[] {
  const content = `${count(prCount, 'pull request')}, ${count(issueCount, 'issue')}`;
  const summary = personas.map((each) => `${each.persona} ${describeDifference(each)}`).join(', ');
  const heading: ColoredLine = {
    text: `${fromTag ?? 'the beginning'} → ${toTag ?? 'unreleased'}: ${content}; ${summary}`,
    color: 'bold',
  };
  return [heading, ...personas.flatMap(describeDraft)];
}

function describeDifference({ changed, added, removed, changedFlags }: DraftDifference): string {
  const parts = changed ? [`+${added} -${removed}`] : [];
  if (changedFlags.length > 0) parts.push(`flags ${changedFlags.join(' and ')}`);
  return parts.join(' and ') || 'no difference';
}

function describeDraft({ persona, changed, diff, truncated }: DraftDifference): ColoredLine[] {
  if (!changed) return [];
  const lines = diff.split('\n').slice(0, -1);
  const more = `The draft for ${persona} readers has more differences than are shown.`;
  return [...lines.map((text, index) => colored(text, index < 2)), ...(truncated ? [plain(more)] : [])];
}

const colors: Readonly<Record<string, Color>> = { '+': 'green', '-': 'red', '@': 'cyan' };

/** @param isHeader whether the line is one of the two file names at the beginning of a diff */
function colored(text: string, isHeader: boolean): ColoredLine {
  const color = isHeader ? 'bold' : colors[text.charAt(0)];
  return color ? { text, color } : { text };
}

function differs({ changed, changedFlags }: DraftDifference): boolean {
  return changed || changedFlags.length > 0;
}

function plain(text: string): ColoredLine {
  return { text };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

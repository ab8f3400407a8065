/**
 * `tidings settings`: prints the table in `docs/settings.md`, which lists every setting with its default and meaning.
 */
import { type SettingEntry, settingEntries } from '../../config/load.ts';
import { printText } from './print.ts';
import { type CliCommand, single } from './usage.ts';

export const settingsCommand: CliCommand = single({
  help: 'Prints every setting, its default and its meaning as a Markdown table',
  examples: ['settings'],
  run: async () => {
    printText(settingsTable().trimEnd());
    return 0;
  },
});

/** Returns the settings as a Markdown table. */
export function settingsTable(): string {
  const rows = settingEntries.map((entry) => `| \`${entry.env}\` | ${shownDefault(entry)} | ${entry.description} |`);
  return `| variable | default | meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function shownDefault(entry: SettingEntry): string {
  const value: unknown = entry.default;
  return value === '' || (Array.isArray(value) && value.length === 0) ? '' : `\`${String(value)}\``;
}

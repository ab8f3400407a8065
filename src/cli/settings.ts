/**
 * `tidings settings`: prints the table in `docs/settings.md`, which lists every setting with its default and meaning.
 */
import { type SettingEntry, settingEntries } from '../../config/load.ts';
import { jsonOption, printJson } from './json.ts';
import { printText } from './print.ts';
import { type CliCommand, single } from './usage.ts';

export const settingsCommand: CliCommand = single({
  help: 'Prints every setting, its default and its meaning as a Markdown table',
  options: jsonOption('{"settings": [{"name", "default", "description"}], "total"}'),
  examples: ['settings', 'settings --json'],
  run: async ({ json }) => {
    if (json) return printJson({ settings: settingEntries.map(toJson), total: settingEntries.length });
    printText(settingsTable().trimEnd());
    return 0;
  },
});

/** Returns the settings as a Markdown table. */
export function settingsTable(): string {
  const rows = settingEntries.map((entry) => `| \`${entry.env}\` | ${shownDefault(entry)} | ${entry.description} |`);
  return `| variable | default | meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function toJson({ env, default: value, description }: SettingEntry): object {
  return { name: env, default: value, description };
}

function shownDefault(entry: SettingEntry): string {
  const value: unknown = entry.default;
  return value === '' || (Array.isArray(value) && value.length === 0) ? '' : `\`${String(value)}\``;
}

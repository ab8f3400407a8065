/**
 * `tidings settings`: prints the table in `docs/settings.md`, which lists every setting with its default and meaning.
 */
import { type SettingEntry, settingEntries } from '../../config/load.ts';
import { printJson } from './json.ts';
import { printText } from './print.ts';
import type { settingsEntry } from './table/operation.ts';
import type { Run } from './usage.ts';

export const runSettings: Run<typeof settingsEntry> = async ({ json }) => {
  if (json) return printJson({ settings: settingEntries.map(toJson), total: settingEntries.length });
  printText(settingsTable().trimEnd());
  return 0;
};

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

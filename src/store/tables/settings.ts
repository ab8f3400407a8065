/** The notes settings of repositories. A repository without stored settings has the defaults of the spec. */
import { Value } from '@sinclair/typebox/value';
import { digestOf } from '../../foundation/etag.ts';
import { defaultSettings, type NotesSettings, NotesSettingsSchema } from '../../protocol/notes.ts';
import type { Partition } from '../partition.ts';

/**
 * Returns the complete settings of a repository. Fields that did not exist when the settings were stored have their
 * defaults.
 */
export function readSettings(partition: Partition, repoId: string): NotesSettings {
  const stored: NotesSettings | undefined = partition.tables.notesSettings.get(repoId);
  return stored ? (Value.Default(NotesSettingsSchema, stored) as NotesSettings) : defaultSettings;
}

/** Returns the mode of a repository's release note check. The fold reads it for most events of pull requests. */
export function noteCheckMode(partition: Partition, repoId: string): NotesSettings['noteCheck']['mode'] {
  const stored: Partial<NotesSettings> | undefined = partition.tables.notesSettings.get(repoId);
  return stored?.noteCheck?.mode ?? defaultSettings.noteCheck.mode;
}

export function writeSettings(partition: Partition, repoId: string, settings: NotesSettings): void {
  partition.tables.notesSettings.putSync(repoId, settings);
}

/**
 * Returns the digest of the stored settings, without defaults. So if a later version of Tidings adds fields, a replay
 * still computes the same digest.
 */
export function settingsDigest(partition: Partition, repoId: string): string {
  return digestOf(JSON.stringify(partition.tables.notesSettings.get(repoId) ?? null));
}

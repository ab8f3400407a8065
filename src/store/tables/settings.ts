/**
 * How a repository wants its notes, as a person has set it; the rules of the spec where nobody has.
 */
import { Value } from '@sinclair/typebox/value';
import { digestOf } from '../../foundation/etag.ts';
import { defaultSettings, type NotesSettings, NotesSettingsSchema } from '../../protocol/notes.ts';
import type { Partition } from '../partition.ts';

/** The settings of a repository, whole: what an earlier version did not know yet is at its default. */
export function readSettings(partition: Partition, repoId: string): NotesSettings {
  const stored: NotesSettings | undefined = partition.tables.notesSettings.get(repoId);
  return stored ? (Value.Default(NotesSettingsSchema, stored) as NotesSettings) : defaultSettings;
}

export function writeSettings(partition: Partition, repoId: string, settings: NotesSettings): void {
  partition.tables.notesSettings.putSync(repoId, settings);
}

/** Digest of the settings as a person put them, without what a later version adds: a replay by it compares as it did then. */
export function settingsDigest(partition: Partition, repoId: string): string {
  return digestOf(JSON.stringify(partition.tables.notesSettings.get(repoId) ?? null));
}

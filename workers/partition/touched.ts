/** Notes which repositories the records of a batch concern, so that remembered answers about them can be forgotten. */
import type { CommandRecord, JournalRecord } from '../../src/protocol/journal.ts';

export class TouchedRepositories {
  readonly ids = new Set<string>();
  private all = false;

  /** Whether any repository of the partition can be concerned. */
  get isAny(): boolean {
    return this.all;
  }

  /** Notes the repositories of records. A record that cannot be folded may lack any field. */
  note(records: readonly JournalRecord[]): void {
    for (const record of records) {
      switch (record.kind) {
        case 'event':
        case 'backfilled':
          this.add(record.repository?.id);
          break;
        case 'command':
          this.add(repositoryOf(record.command));
          break;
        case 'relay':
        case 'sweep':
          this.all = true;
          break;
        default:
      }
    }
  }

  /** Notes a repository. */
  add(id: string | undefined): void {
    if (id !== undefined) this.ids.add(id);
  }
}

/**
 * Returns the repository whose changes or settings a command can concern. A new range concerns neither, and other
 * commands name only a draft, a range or a publication.
 */
function repositoryOf(command: CommandRecord['command'] | undefined): string | undefined {
  if (!command || command.name === 'createRange') return undefined;
  if ('repository' in command) return command.repository?.id;
  return 'repoId' in command ? (command.repoId ?? undefined) : undefined;
}

/**
 * Folds commands about publications: publish, resend, delete. A repeated request for the same publication does not
 * create a second one. For each receiver, a newer text replaces an older text that is still waiting
 * (`docs/architecture.md` decision 24).
 */
import { describeWarning, warningsOf } from '../../src/foundation/conflicts.ts';
import { ServiceError } from '../../src/foundation/errors.ts';
import type { Command, CommandResult } from '../../src/protocol/commands.ts';
import type { PublicationWarning } from '../../src/protocol/conflicts.ts';
import type { PublicationRecord } from '../../src/protocol/publications.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readDraft } from '../../src/store/tables/drafts.ts';
import { removeHostedNote } from '../../src/store/tables/hosted-notes.ts';
import {
  hasEnded,
  maxWarnings,
  notePublication,
  publicationOf,
  readPublication,
  readReference,
  removePublication,
  rivals,
  writePublication,
} from '../../src/store/tables/publications.ts';
import { clearDoubtful } from '../../src/store/tables/recipients.ts';
import { readDraftRevision, readTexts } from '../../src/store/tables/revisions.ts';
import { readSettings } from '../../src/store/tables/settings.ts';
import { reportFailed } from './publication-events.ts';
import { missing, refused } from './refusals.ts';

type CommandNamed<Name extends Command['name']> = Extract<Command, { name: Name }>;

/** Maximum number of warnings that an error names. */
const maxNamed = 20;

/** State of a publication that is new or is started again. */
const fresh = {
  status: 'pending',
  sending: null,
  tries: 0,
  nextAttemptAt: null,
  error: null,
  outcomeUnknown: false,
} as const;

/**
 * Creates a publication, or returns the existing publication of the same content to the same receiver. If the existing
 * publication failed with a known outcome, it starts again. A draft that is outdated or has conflicts is refused if the
 * caller or the repository's settings ask for it, unless the content has already been published.
 */
export function publish(partition: Partition, command: CommandNamed<'publish'>, at: number): CommandResult {
  const { publicationId, draftId, revision, channel, asDraft } = command;
  const through = throughOf(command);
  const draft = readDraft(partition, draftId);
  if (!draft) return missing('Draft', draftId);
  const made = readDraftRevision(partition, draftId, revision);
  if (!made) return missing('Revision', String(revision));
  const { repoId, rangeId, persona } = draft;
  const known = publicationOf(partition, { repoId, draftId, revision, channel, asDraft, ...through });
  if (known && known.status !== 'failed') return answer(known);
  const warnings =
    command.strict === undefined ? [] : warningsOf(readTexts(partition, draft, made).bodyMd, draft.outdatedBecause);
  if (warnings.length > 0 && (command.strict || readSettings(partition, repoId).strictPublishing))
    return refused(hasWarnings(draftId, warnings));
  if (known) return publishAgain(partition, known, command, at);
  return start(partition, command, {
    ...{ id: publicationId, repoId, draftId, revision, rangeId, persona, channel, asDraft, ...through },
    ...fresh,
    attempted: 0,
    attempts: [],
    url: null,
    counts: {},
    ...(warnings.length > 0 && { warnings: warnings.slice(0, maxWarnings) }),
    createdAt: at,
    updatedAt: at,
    publishedAt: null,
  });
}

/** Sends a publication again at a person's request, even if the outcome of the last attempt is unknown. */
export function resendPublication(
  partition: Partition,
  command: CommandNamed<'resendPublication'>,
  at: number,
): CommandResult {
  const { publicationId } = command;
  const known = readPublication(partition, publicationId);
  if (!known) return missing('Publication', publicationId);
  if (!hasEnded(known)) return conflict(`Publication ${known.id} is ${known.status}. Wait until it has ended.`);
  clearDoubtful(partition, known);
  return start(partition, command, { ...known, ...fresh, ...throughOf(command), updatedAt: at });
}

/**
 * Removes a publication and its note on a page of this service. Items that the publication created at other receivers
 * are kept.
 */
export function deletePublication(partition: Partition, id: string, at: number): CommandResult {
  const known = readPublication(partition, id);
  if (!known) return missing('Publication', id);
  if (known.sending) return conflict(`Publication ${id} is being sent. Wait until sending has ended.`);
  removePublication(partition, known);
  notePublication(partition, known, 'deleted');
  removePage(partition, known);
  return { ok: true, value: { id, repoId: known.repoId, deletedAt: at } };
}

/**
 * Removes the note of a publication from the page that this service shows. For the `hosted` channel, the stored
 * reference of a publication is the version of the publication's note.
 */
function removePage(partition: Partition, known: PublicationRecord): void {
  const version = known.channel === 'hosted' ? readReference(partition, known) : undefined;
  if (version === undefined) return;
  const { repoId, personaPath: path } = known;
  removeHostedNote(partition, { repoId, version, publicationId: known.id, ...(path !== undefined && { path }) });
}

/**
 * The connection that a publication uses, and the location of the publication's page. A field without a value must be
 * absent, not undefined, because the stored bytes would differ.
 */
type Through = Pick<PublicationRecord, 'connection' | 'pagesUrl' | 'personaPath'>;

function throughOf({ connection, pagesUrl, personaPath }: Through): Through {
  return { connection, pagesUrl, ...(personaPath !== undefined && { personaPath }) };
}

/**
 * Returns the error for a draft whose warnings prevent its publication. The check is made here and not before, because
 * only the fold knows the settings that apply, and the text of the revision cannot change any more.
 */
function hasWarnings(draftId: string, warnings: readonly PublicationWarning[]): ServiceError {
  const named = warnings.slice(0, maxNamed);
  const list = named.map(describeWarning).join('; ');
  const more = warnings.length > named.length ? `; and ${warnings.length - named.length} more` : '';
  const conflicts = warnings.filter(({ kind }) => kind === 'conflict').length;
  const isOutdated = conflicts < warnings.length;
  const count = conflicts === 1 ? 'has 1 conflict' : `has ${conflicts} conflicts`;
  const what = [...(isOutdated ? ['is outdated'] : []), ...(conflicts > 0 ? [count] : [])].join(' and ');
  const steps = [...(isOutdated ? ['Generate it again'] : []), ...(conflicts > 0 ? ['Edit these lines'] : [])];
  const message = `Draft ${draftId} ${what}: ${list}${more}. ${steps.join('. ')}, or publish without \`strict\` and \`strictPublishing\`.`;
  const details = Object.fromEntries(
    named.map((warning) => [warning.kind === 'conflict' ? warning.id : 'outdated', describeWarning(warning)]),
  );
  return new ServiceError('conflict', message, { details });
}

function publishAgain(
  partition: Partition,
  known: PublicationRecord,
  command: CommandNamed<'publish'>,
  at: number,
): CommandResult {
  if (!known.outcomeUnknown)
    return start(partition, command, { ...known, ...fresh, ...throughOf(command), updatedAt: at });
  const message = `Publication ${known.id} of the same draft may have arrived; its outcome is unknown. Check at the receiver. If it did not arrive, resend that publication.`;
  return conflict(message);
}

/**
 * Starts a publication. Waiting publications of the same draft to the same receiver fail, because they would overwrite
 * the new publication if they were sent after it. A publication that is being sent does not fail.
 */
function start(
  partition: Partition,
  { reports }: CommandNamed<'publish' | 'resendPublication'>,
  publication: PublicationRecord,
): CommandResult {
  const { updatedAt } = publication;
  for (const rival of rivals(partition, publication)) {
    if (rival.sending) continue;
    const error = `Publication ${publication.id} of the same draft replaced this one.`;
    const replaced: PublicationRecord = { ...rival, status: 'failed', error, nextAttemptAt: null, updatedAt };
    writePublication(partition, replaced);
    if (reports) reportFailed(partition, replaced, updatedAt, publication.id);
  }
  writePublication(partition, publication);
  return answer(publication);
}

/**
 * Returns the result of a command. The result holds the repository's id, so that erasing the repository also erases the
 * result.
 */
function answer({ id, repoId }: PublicationRecord): CommandResult {
  return { ok: true, value: { id, repoId } };
}

function conflict(message: string): CommandResult {
  return refused(new ServiceError('conflict', message));
}

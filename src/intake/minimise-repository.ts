/**
 * Reduces the payloads of repository events to the captured fields: the repository's name and state, its labels, and
 * the refs that were created or deleted.
 */

import type { EventBody, TagPush } from '../protocol/events.ts';
import type { LabelPayload, RefPayload, RepositoryPayload } from '../protocol/host.ts';
import { labelName, name, time } from './text.ts';

type Body<Name extends EventBody['event']> = Extract<EventBody, { event: Name }>;

/** Reduces a create or delete event to the tag that was created or deleted. */
export function minimiseRef(payload: RefPayload, deleted: boolean, now: number): TagPush {
  return {
    name: name(payload.ref),
    sha: deleted ? null : payload.sha || null,
    object: null,
    baseRef: null,
    date: null,
    deleted,
    pushedAt: time(payload.repository.pushed_at, now) ?? now,
    hint: true,
  };
}

/**
 * Reduces the payload of a repository event to the captured fields. Such an event reports that the repository was
 * renamed, transferred, edited, archived, made private or public, or deleted.
 */
export function minimiseRepositoryEvent(payload: RepositoryPayload, now: number): Body<'repository'> {
  const { action, changes, repository } = payload;
  const from = changes?.default_branch?.from;
  const seenAt = time(repository.updated_at, now) ?? now;
  return {
    event: 'repository',
    action,
    formerName: formerName(payload),
    ...(from && { formerBranch: name(from) }),
    seenAt,
  };
}

/** Returns the full name that the repository had before a rename or a transfer; null for other changes. */
function formerName({ changes, repository }: RepositoryPayload): string | null {
  const [owner = '', name = ''] = repository.full_name.split('/');
  const from = changes?.owner?.from;
  const formerOwner = from?.organization?.login ?? from?.user?.login;
  const former = `${formerOwner ?? owner}/${changes?.repository?.name?.from ?? name}`;
  return former === repository.full_name ? null : former;
}

/**
 * Reduces the payload of an event about a renamed or deleted label to the captured fields. Returns null when the
 * label's name did not change.
 */
export function minimiseLabel(payload: LabelPayload, now: number): Body<'label'> | null {
  const { id, name: givenName } = payload.label;
  const called = labelName(givenName);
  const known = { event: 'label' as const, ...(id != null && { id: String(id) }), seenAt: now, checks: true as const };
  if (payload.action === 'deleted') return { ...known, from: called, to: null };
  const from = payload.changes?.name?.from;
  return from === undefined ? null : { ...known, from: labelName(from), to: called };
}

/**
 * What events tell of a repository as a whole: its name and state, its labels, refs made and deleted.
 */

import type { EventBody, TagPush } from '../protocol/events.ts';
import type { LabelPayload, RefPayload, RepositoryPayload } from '../protocol/host.ts';
import { labelName, name, time } from './text.ts';

type Body<Name extends EventBody['event']> = Extract<EventBody, { event: Name }>;

/** A tag made or deleted, by a create or delete event. */
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

/** A repository renamed, transferred, edited, archived, made private or public, or deleted. */
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

/** The full name before a rename or a transfer. */
function formerName({ changes, repository }: RepositoryPayload): string | null {
  const [owner = '', name = ''] = repository.full_name.split('/');
  const from = changes?.owner?.from;
  const formerOwner = from?.organization?.login ?? from?.user?.login;
  const former = `${formerOwner ?? owner}/${changes?.repository?.name?.from ?? name}`;
  return former === repository.full_name ? null : former;
}

/** A label renamed or deleted; null when nothing about its name changed. */
export function minimiseLabel(payload: LabelPayload, now: number): Body<'label'> | null {
  const { id, name: told } = payload.label;
  const called = labelName(told);
  const known = { event: 'label' as const, ...(id != null && { id: String(id) }), seenAt: now };
  if (payload.action === 'deleted') return { ...known, from: called, to: null };
  const from = payload.changes?.name?.from;
  return from === undefined ? null : { ...known, from: labelName(from), to: called };
}

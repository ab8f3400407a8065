/** The API keys: create, replace and revoke them. A new key is shown once. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Key, NewKey, Operations } from '../../../sdk/index.ts';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty, Pill, Shown } from '../../parts/feedback.tsx';
import { Fields, faultsOf, TextField, Ticks } from '../../parts/fields.tsx';
import { Question, Replacement, ShownOnce } from '../../parts/question.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { UnsavedList } from '../../parts/unsaved-list.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { useFilledPage } from '../../state/filled-page.ts';
import { isAllSaved } from '../../state/leave.ts';
import { useLoad } from '../../state/load.ts';
import { api, base, forgetSession, isInstanceKey, mayUse, session } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { count } from '../../text/words.ts';
import { useDialogs } from './dialogs.ts';
import { useOrganizations } from './organization-choice.tsx';
import { OrganizationField } from './organization-field.tsx';

type Scope = NonNullable<Operations['createKey']['input']['scopes']>[number];

const pageSize = 50;
/** Age from which a key is marked as old. */
const oldMs = 182 * 86_400_000;

const groups: readonly { name: string; about: string; scopes: readonly Scope[] }[] = [
  {
    name: 'Read',
    about: 'repositories, drafts, statistics',
    scopes: ['repos:read', 'ranges:read', 'drafts:read', 'stats:read'],
  },
  { name: 'Write notes', about: 'ranges and drafts', scopes: ['ranges:write', 'drafts:write'] },
  { name: 'Publish', about: 'send notes to channels', scopes: ['publish:write'] },
  {
    name: 'Configure',
    about: 'repositories, channels, webhooks',
    scopes: ['repos:write', 'orgs:read', 'orgs:write', 'webhooks:read', 'webhooks:write'],
  },
  { name: 'Manage keys', about: 'create and revoke keys', scopes: ['keys:read', 'keys:write'] },
];

type Open = { what: 'new' | 'leave' } | { what: 'revoke' | 'rotate'; key: Key };

/** Names the scopes of a key by their groups. A group of which the key has only a part is marked. */
function rightsOf(scopes: Key['scopes']): string {
  if (scopes.includes('*')) return 'Everything';
  const named = groups.flatMap((group) => {
    const held = group.scopes.filter((scope) => scopes.includes(scope)).length;
    return held === 0 ? [] : held === group.scopes.length ? group.name : `${group.name} (partly)`;
  });
  return named.join(', ');
}

export function Keys(): JSX.Element {
  const [offset, setOffset] = useState(0);
  const { open, setOpen, close, secret, addSecret, dropSecret } = useDialogs<Open, NewKey>();
  const loaded = useLoad(
    'keys',
    (signal) => api().listKeys({ limit: pageSize, offset, sort: 'createdAt', order: 'desc' }, { signal }),
    [offset],
  );
  useFilledPage(loaded.data?.keys.length, offset, pageSize, setOffset);
  const show = (key: NewKey): void => {
    loaded.reload();
    addSecret(key);
    close();
  };
  // What may end this session asks with a list of what could not be saved.
  const ask = async (next: Open): Promise<void> => {
    await isAllSaved();
    setOpen(next);
  };
  /** Whether this session ends with a key: it is the key of the session, or has created it. */
  const endsSession = ({ id }: Key): boolean => {
    let own: string | null | undefined = ownKeyId();
    while (own && own !== id) own = loaded.data?.keys.find((each) => each.id === own)?.createdBy;
    return own === id;
  };
  const organizations = useOrganizations();
  const mayWrite = mayUse('keys:write');
  return (
    <section class="settings-part" aria-label="API keys">
      <header>
        <h2>API keys</h2>
        <div class="choices">
          <button type="button" onClick={() => void ask({ what: 'leave' })}>
            Sign out everywhere
          </button>
          {mayWrite && (
            <button type="button" class="primary" onClick={() => setOpen({ what: 'new' })}>
              New key
            </button>
          )}
        </div>
      </header>
      <Shown of={loaded} lines={4}>
        {({ keys, total }) =>
          keys.length === 0 ? (
            <Empty title="There is no key yet." />
          ) : (
            <Table
              columns={['Name', 'Key', 'May do', 'State', 'Last used']}
              hasActions={mayWrite}
              pages={{ offset, shown: keys.length, total, size: pageSize, onMove: setOffset }}
            >
              {keys.map((key) => (
                <Row
                  key={key.id}
                  of={key}
                  login={organizations.data?.find(({ id }) => id === key.orgId)?.login}
                  onOpen={(what) => void ask({ what, key })}
                />
              ))}
            </Table>
          )
        }
      </Shown>
      {open?.what === 'new' && <NewKeyDialog onCreated={show} onClose={close} />}
      {secret && (
        <ShownOnce
          key={secret.id}
          title={`Key ${secret.name}`}
          secret={secret.key}
          label="the key"
          onClose={dropSecret}
        >
          <p class="faint">To try it:</p>
          <Copy
            text={`curl -H "Authorization: Bearer ${secret.key}" ${location.origin}${base}/api/about`}
            label="the command"
          />
        </ShownOnce>
      )}
      {open?.what === 'rotate' && (
        <Replacement
          title={`Replace ${open.key.name}?`}
          label="The present key works for"
          onConfirm={async (overlapHours) => show(await api().rotateKey({ keyId: open.key.id, overlapHours }))}
          onClose={close}
        >
          <p>
            A new key with the same rights is made.
            {open.key.id === ownKeyId() && ' This session has the present key, and ends with it.'}
          </p>
        </Replacement>
      )}
      {open?.what === 'revoke' && (
        <Question
          title={`Revoke ${open.key.name}?`}
          action="Revoke"
          typed={{ name: open.key.name, of: 'key' }}
          onConfirm={async () => {
            const { endedKeys } = await api().revokeKey({ keyId: open.key.id });
            showToast(
              endedKeys > 0 ? `Revoked, with ${count(endedKeys, 'key')} that it had created.` : 'The key is revoked.',
            );
            loaded.reload();
            close();
          }}
          onClose={close}
        >
          <p>Programs and sessions with this key stop at once. Keys that were created with it end too.</p>
          {endsSession(open.key) && (
            <>
              <p>This session ends too.</p>
              <UnsavedList onOpen={close} />
            </>
          )}
        </Question>
      )}
      {open?.what === 'leave' && (
        <Question title="Sign out everywhere?" action="Sign out everywhere" onConfirm={leaveEverywhere} onClose={close}>
          <p>All browsers that are signed in with the key of this session are signed out, this one too.</p>
          <UnsavedList onOpen={close} />
        </Question>
      )}
    </section>
  );
}

/** Returns the id of the key of this session. */
function ownKeyId(): string | undefined {
  return typeof session.value === 'string' ? undefined : session.value.key.id;
}

/** Ends all sessions of the key. The next screen asks for a key. */
async function leaveEverywhere(): Promise<void> {
  await api().endSessions();
  forgetSession();
}

function Row({
  of,
  login,
  onOpen,
}: {
  of: Key;
  login: string | undefined;
  onOpen: (what: 'revoke' | 'rotate') => void;
}): JSX.Element {
  const { id, name, prefix, last4, orgId, scopes, status, createdAt, lastUsedAt, expiresAt } = of;
  const isActive = status === 'active';
  const isOwn = id === ownKeyId();
  const isOld = isActive && Date.now() - Date.parse(createdAt) > oldMs;
  return (
    <tr>
      <th scope="row">
        {name} {isOwn && <span class="faint">this session</span>}
        {isInstanceKey() && <span class="faint endpoint-url">{orgId === null ? 'all organizations' : login}</span>}
      </th>
      <td class="whole">
        <code>
          {prefix}…{last4}
        </code>
      </td>
      <td title={scopes.join(', ')}>{rightsOf(scopes)}</td>
      <td>
        <Pill tone={isActive ? 'good' : 'plain'}>{status}</Pill> {isOld && <Pill tone="warn">over 6 months old</Pill>}
        {isActive && expiresAt !== null && (
          <span class="faint">
            {' '}
            ends <Time at={expiresAt} isAhead />
          </span>
        )}
      </td>
      <td class="whole">
        <span class="phone-only">last used</span>{' '}
        {lastUsedAt === null ? <span class="faint">never</span> : <Time at={lastUsedAt} />}
      </td>
      {mayUse('keys:write') && (
        <td class="row-actions">
          {isActive && (
            <>
              <button type="button" class="small" aria-label={`Replace ${name}`} onClick={() => onOpen('rotate')}>
                Replace
              </button>
              <button type="button" class="small" aria-label={`Revoke ${name}`} onClick={() => onOpen('revoke')}>
                Revoke
              </button>
            </>
          )}
        </td>
      )}
    </tr>
  );
}

function NewKeyDialog({ onCreated, onClose }: { onCreated: (key: NewKey) => void; onClose: () => void }): JSX.Element {
  const isInstance = isInstanceKey();
  const [name, setName] = useState('');
  const [org, setOrg] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>(['Read', 'Write notes']);
  const [isBusy, setBusy] = useState(false);
  const { error, attempt } = useAttempt();
  const organizations = useOrganizations();
  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    const scopes = groups.filter((group) => chosen.includes(group.name)).flatMap((group) => group.scopes);
    const owner = isInstance ? (org === '' ? { instance: true } : { org }) : {};
    setBusy(true);
    await attempt(async () => onCreated(await api().createKey({ name: name.trim(), scopes, ...owner })));
    setBusy(false);
  };
  return (
    <Dialog title="New API key" onClose={onClose}>
      <form class="stack" onSubmit={create}>
        <Fields error={error} faults={faultsOf(error, ['name', 'org', 'scopes'])}>
          <TextField
            label="Name, such as the person or the program that uses it"
            at="name"
            value={name}
            onChange={setName}
            input={{ 'data-first': true, maxLength: 100 }}
          />
          <OrganizationField
            label="May see"
            none="all organizations"
            organizations={organizations.data}
            value={org}
            onChange={setOrg}
          />
          <Ticks
            legend="May do"
            at="scopes"
            options={groups.map((group) => [group.name, group.name, group.about] as const)}
            chosen={chosen}
            onChange={setChosen}
          />
        </Fields>
        <footer class="dialog-actions">
          <button type="submit" class="primary" disabled={isBusy || name.trim() === '' || chosen.length === 0}>
            Create key
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** The channels of an organization or of one repository: connect, test, preview, disconnect. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import type { Channel, Operations, Repository } from '../../../sdk/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Empty, ErrorBox, Pill, Shown } from '../../parts/feedback.tsx';
import { Question } from '../../parts/question.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { useLoad } from '../../state/load.ts';
import { repositories } from '../../state/repositories.ts';
import { api, mayUse } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { dropInput, isFormUnsaved } from '../../state/unsaved.ts';
import { channelFields } from '../../text/channel-fields.ts';
import { type ChannelName, channelWords, personaWords } from '../../text/words.ts';
import { Preview } from '../draft/preview.tsx';
import { ChannelForm, channelFormName, type Owner } from './channel-form.tsx';
import { type Organization, OrganizationChoice, useChosen, useOrganizations } from './organization-choice.tsx';

/** Channels that write to a repository, so that a test needs one. */
const onRepository: ReadonlySet<ChannelName> = new Set(['scm_releases', 'changelog', 'releases_md']);

export function Channels(): JSX.Element {
  const loaded = useOrganizations();
  const chosen = useChosen(loaded.data);
  return (
    <section class="settings-part" aria-label="Channels">
      <Shown of={loaded} lines={8}>
        {(organizations) =>
          chosen ? (
            <OfOrganization key={chosen.id} {...{ organizations, chosen }} />
          ) : (
            <Empty title="There is no organization yet.">
              <p>
                Organizations appear with the first delivery of a host. The inbox explains how to connect a repository.
              </p>
            </Empty>
          )
        }
      </Shown>
    </section>
  );
}

/** A dialog is about the owner that was chosen when it opened. */
interface Open {
  what: 'form' | 'preview' | 'disconnect';
  channel: Channel;
  owner: Owner;
  repository: Repository | undefined;
}

function OfOrganization({
  organizations,
  chosen,
}: {
  organizations: readonly Organization[];
  chosen: Organization;
}): JSX.Element {
  const [query, setQuery] = useSearchParams();
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const own = (repositories.value ?? []).filter(({ orgId }) => orgId === chosen.id);
  const asked = query.get('repo');
  const repository = own.find(({ id }) => id === asked);
  // Until the repositories are loaded, the owner in the address is not known.
  const isKnown = asked === null || repositories.value !== undefined || !mayUse('repos:read');
  const owner: Owner = { orgId: chosen.id, ...(repository && { repoId: repository.id }) };
  const loaded = useLoad('channels', (signal) => api().listChannels({ ...owner, limit: 100 }, { signal }), [
    isKnown ? chosen.id : null,
    repository?.id ?? '',
  ]);
  const close = (): void => setOpen((now) => (now === open ? undefined : now));
  const done = (): void => {
    loaded.reload();
    close();
  };
  return (
    <>
      <header>
        <h2>Channels</h2>
        <div class="choices">
          <OrganizationChoice {...{ organizations, chosen }} />
          <label>
            <span class="faint">Repository</span>
            <select
              value={repository?.id ?? ''}
              onChange={({ currentTarget: { value } }) =>
                setQuery({ org: chosen.id, ...(value !== '' && { repo: value }) }, { replace: true })
              }
            >
              <option value="">all of {chosen.login}</option>
              {own.map(({ id, fullName }) => (
                <option key={id} value={id}>
                  {fullName}
                </option>
              ))}
            </select>
          </label>
        </div>
      </header>
      <Shown of={loaded} lines={8}>
        {({ channels }) => (
          <ul class="channel-cards">
            {channels.map((channel) => (
              <Card
                key={`${repository?.id} ${channel.channel}`}
                of={channel}
                owner={owner}
                onOpen={(what) => setOpen({ what, channel, owner, repository })}
              />
            ))}
          </ul>
        )}
      </Shown>
      {open?.what === 'form' && (
        <ChannelForm
          of={open.channel}
          owner={open.owner}
          ownerName={open.repository?.fullName ?? chosen.login}
          onSaved={done}
          onClose={close}
        />
      )}
      {open?.what === 'preview' && (
        <ChannelPreview channel={open.channel.channel} of={open.repository ? [open.repository] : own} onClose={close} />
      )}
      {open?.what === 'disconnect' && (
        <Question
          title={`Disconnect ${channelWords[open.channel.channel].name}?`}
          action="Disconnect"
          onConfirm={async () => {
            const after = await api().removeChannel({ channel: open.channel.channel, ...open.owner });
            dropInput(channelFormName(open.owner, open.channel.channel));
            showToast(
              after.connected ? `Disconnected. Now used: ${sources[after.source ?? 'default']}.` : 'Disconnected.',
            );
            done();
          }}
          onClose={close}
        >
          <p>
            The settings and secrets of this connection are deleted. {afterwards(open.channel.channel, open.repository)}
          </p>
        </Question>
      )}
    </>
  );
}

const sources: Readonly<Record<NonNullable<Channel['source']>, string>> = {
  repository: 'the connection of this repository',
  organization: 'the connection of the organization',
  default: 'the default settings',
};

/** Says what applies when the connection is gone. */
function afterwards(channel: ChannelName, repository: Repository | undefined): string {
  if (repository) return 'The repository then uses the connection of its organization, if there is one.';
  return onRepository.has(channel) || channel === 'hosted'
    ? 'The channel then works with its default settings.'
    : 'Nothing can be published to this channel until it is connected again.';
}

function Card({ of, owner, onOpen }: { of: Channel; owner: Owner; onOpen: (what: Open['what']) => void }): JSX.Element {
  const { channel, connected, source } = of;
  const { name, does } = channelWords[channel];
  const [tested, setTested] = useState<Operations['testChannel']['reply'] | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const { error, attempt } = useAttempt();
  const test = async (): Promise<void> => {
    setBusy(true);
    setTested(undefined);
    await attempt(async () => setTested(await api().testChannel({ channel, ...owner })));
    setBusy(false);
  };
  const mayWrite = mayUse('orgs:write');
  const isUnsaved = isFormUnsaved(channelFormName(owner, channel));
  const isOwn = source === (owner.repoId === undefined ? 'organization' : 'repository');
  const setUp = isOwn ? 'Change' : connected ? 'Set up' : 'Connect';
  const needsRepository = onRepository.has(channel) && owner.repoId === undefined;
  return (
    <li class="card channel-card" aria-label={name}>
      <h3>{name}</h3>
      <p>{does}</p>
      <p class="pills">
        <Pill tone={connected ? 'good' : 'plain'}>{connected ? 'connected' : 'not connected'}</Pill>
        {of.public ? (
          <Pill tone="warn">outsiders can read it</Pill>
        ) : (
          <Pill tone="plain">{onRepository.has(channel) ? 'read with the repository' : 'only insiders'}</Pill>
        )}
        {source !== null && <span class="faint">uses {sources[source]}</span>}
        {isUnsaved && <Pill tone="warn">changes not saved</Pill>}
      </p>
      <Settings of={of} />
      {tested && (
        <p class={`box ${tested.ok ? '' : 'bad'}`} role="status">
          <Pill tone={tested.ok ? 'good' : 'bad'}>{tested.ok ? 'works' : 'does not work'}</Pill> {tested.message}
        </p>
      )}
      {error && <ErrorBox error={error} />}
      <p class="row-links">
        {mayWrite && channelFields[channel].length > 0 && (
          <button type="button" class="small" aria-label={`${setUp} ${name}`} onClick={() => onOpen('form')}>
            {setUp}
          </button>
        )}
        {mayWrite && connected && !needsRepository && channel !== 'hosted' && (
          <button type="button" class="small" aria-label={`Test ${name}`} disabled={isBusy} onClick={() => void test()}>
            {isBusy ? 'Testing…' : 'Test'}
          </button>
        )}
        {mayUse('drafts:read') && (
          <button type="button" class="small" aria-label={`Preview ${name}`} onClick={() => onOpen('preview')}>
            Preview
          </button>
        )}
        {mayWrite && isOwn && (
          <button type="button" class="small" aria-label={`Disconnect ${name}`} onClick={() => onOpen('disconnect')}>
            Disconnect
          </button>
        )}
        {connected && needsRepository && <span class="faint">To test it, choose a repository above.</span>}
      </p>
    </li>
  );
}

/** Shows the settings that are stored. Secrets only appear as set. */
function Settings({ of: { channel, settings, hasSecret } }: { of: Channel }): JSX.Element | null {
  const facts = channelFields[channel].flatMap(({ name, label, kind, options }): [string, string][] => {
    if (hasSecret[name]) return [[label, 'set']];
    const value = settings[name];
    if (value === undefined || value === '') return [];
    if (kind === 'picture') return [[label, 'set']];
    const text = Array.isArray(value) ? value.join(', ') : String(value);
    return [[label, options?.find(([each]) => each === text)?.[1] ?? text]];
  });
  return facts.length === 0 ? null : <Facts of={facts} />;
}

/** Shows what the channel would receive for the newest draft of a repository. */
function ChannelPreview({
  channel,
  of,
  onClose,
}: {
  channel: ChannelName;
  of: readonly Repository[];
  onClose: () => void;
}): JSX.Element {
  const [repoId, setRepoId] = useState(of[0]?.id);
  const loaded = useLoad(
    'newest draft',
    async (signal) => {
      const sorted = { sort: 'updatedAt', order: 'desc', limit: 20 } as const;
      const { drafts } = await api().listDrafts({ repoId: repoId as string, ...sorted }, { signal });
      const ready = drafts.filter(({ status }) => status === 'ready');
      // Readers of public channels are customers, so their notes show best what arrives there.
      return { draft: ready.find(({ persona }) => persona === 'customer') ?? ready[0] };
    },
    [repoId],
  );
  return (
    <Dialog title={`Preview: ${channelWords[channel].name}`} size="wide" onClose={onClose}>
      {of.length > 1 && (
        <label>
          <span class="faint">Newest notes of</span>
          <select value={repoId} onChange={({ currentTarget }) => setRepoId(currentTarget.value)}>
            {of.map(({ id, fullName }) => (
              <option key={id} value={id}>
                {fullName}
              </option>
            ))}
          </select>
        </label>
      )}
      {repoId === undefined ? (
        <Empty title="There is no repository yet." />
      ) : (
        <Shown of={loaded}>
          {({ draft }) =>
            draft ? (
              <>
                <p class="faint">
                  This is what the channel would receive for the{' '}
                  <Link href={`/app/drafts/${draft.id}`}>newest draft</Link> for{' '}
                  {personaWords[draft.persona].name.toLowerCase()}. Nothing is sent.
                </p>
                <div class="channel-preview">
                  <Preview draftId={draft.id} version={draft.updatedAt} isReady only={channel} />
                </div>
              </>
            ) : (
              <Empty title="This repository has no draft yet.">
                <p>
                  <Link href={`/app/repositories/${repoId}`}>Write notes</Link> first. They are then shown here as the
                  channel would receive them.
                </p>
              </Empty>
            )
          }
        </Shown>
      )}
    </Dialog>
  );
}

/** The form of an endpoint: its address, the events that it receives, and filters. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { metaOf, type NewWebhookEndpoint, type WebhookEndpoint } from '../../../sdk/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorBox, Skeleton } from '../../parts/feedback.tsx';
import { choicesOf, Fields, faultsOf, TextField, Ticks } from '../../parts/fields.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { useLoad } from '../../state/load.ts';
import { repositories } from '../../state/repositories.ts';
import { api, isInstanceKey } from '../../state/session.ts';
import { channelNames, channelWords, personaTexts } from '../../text/words.ts';
import { useOrganizations } from './organization-choice.tsx';
import { OrganizationField } from './organization-field.tsx';

type Event = WebhookEndpoint['events'][number];

/** @param of the endpoint that is changed; absent for a new one */
export function EndpointForm({
  of,
  onCreated,
  onSaved,
  onClose,
}: {
  of?: WebhookEndpoint;
  onCreated: (endpoint: NewWebhookEndpoint) => void;
  onSaved: () => void;
  onClose: () => void;
}): JSX.Element {
  const kinds = useLoad('webhook events', (signal) => api().listWebhookEvents({ limit: 100 }, { signal }), []);
  const current = useLoad(
    'endpoint',
    async (signal) => {
      const found = await api().getWebhookEndpoint({ endpointId: of?.id as string }, { signal });
      return { found, etag: metaOf(found).etag };
    },
    [of?.id ?? null, of?.updatedAt],
  );
  const error = kinds.error ?? current.error;
  const events = kinds.data?.webhookEvents.filter(({ event }) => event !== 'endpoint.test');
  return (
    <Dialog title={of ? 'Change endpoint' : 'New endpoint'} size="side" onClose={onClose}>
      {error ? (
        <ErrorBox error={error} />
      ) : !events || (of && !current.data) ? (
        <Skeleton />
      ) : (
        <Form
          key={current.data?.etag}
          of={current.data?.found}
          etag={current.data?.etag}
          events={events.map(({ event, summary }) => [event as Event, event, summary] as const)}
          {...{ onCreated, onSaved, onClose }}
        />
      )}
    </Dialog>
  );
}

function Form({
  of,
  etag,
  events: known,
  onCreated,
  onSaved,
  onClose,
}: {
  of: WebhookEndpoint | undefined;
  etag: string | undefined;
  events: readonly (readonly [event: Event, name: string, summary: string])[];
  onCreated: (endpoint: NewWebhookEndpoint) => void;
  onSaved: () => void;
  onClose: () => void;
}): JSX.Element {
  const organizations = useOrganizations();
  const [url, setUrl] = useState(of?.url ?? '');
  const [description, setDescription] = useState(of?.description ?? '');
  const [org, setOrg] = useState(of?.orgId ?? '');
  const [events, setEvents] = useState<readonly Event[]>(of?.events ?? known.map(([event]) => event));
  const [personas, setPersonas] = useState(of?.personas ?? []);
  const [channels, setChannels] = useState(of?.channels ?? []);
  const [only, setOnly] = useState(of?.repositories ?? []);
  const [isBusy, setBusy] = useState(false);
  const { error, attempt } = useAttempt();
  const isInstance = isInstanceKey();
  const orgId = org !== '' ? org : isInstance ? (organizations.data?.[0]?.id ?? '') : '';
  const shown = (repositories.value ?? []).filter((each) => orgId === '' || each.orgId === orgId);
  const faults = faultsOf(error, ['url', 'description', 'org', 'events', 'personas', 'channels', 'repositories']);
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const given = { events, personas, channels, repositories: only, description: description.trim() };
    await attempt(async () => {
      if (!of) {
        const owner = isInstance ? { org: orgId } : {};
        onCreated(await api().createWebhookEndpoint({ url: url.trim(), ...given, ...owner }));
        return;
      }
      // The query of a stored address is not shown, so an address that was not edited is not sent.
      const moved = url.trim() === of.url ? {} : { url: url.trim() };
      const options = etag === undefined ? {} : { ifMatch: etag };
      await api().updateWebhookEndpoint({ endpointId: of.id, ...given, ...moved }, options);
      onSaved();
    });
    setBusy(false);
  };
  return (
    <form class="stack" onSubmit={save} autocomplete="off">
      <Fields error={error} faults={faults}>
        {!of && (
          <OrganizationField
            label="Organization"
            organizations={organizations.data}
            value={orgId}
            onChange={(next) => {
              setOrg(next);
              setOnly([]);
            }}
          />
        )}
        <TextField
          label="Address"
          about={
            of?.url.endsWith('?…')
              ? 'The address has a query, which is not shown. It stays while you do not change the address.'
              : 'A public https address. A token of the receiver belongs in the query, which is never shown again.'
          }
          at="url"
          value={url}
          onChange={setUrl}
          input={{ 'data-first': true, inputMode: 'url', placeholder: 'https://hooks.example.com/tidings' }}
        />
        <TextField
          label="Description"
          at="description"
          value={description}
          onChange={setDescription}
          input={{ maxLength: 200 }}
        />
        <Ticks legend="Events" at="events" options={known} chosen={events} onChange={setEvents} />
        <details>
          <summary>
            Filters <span class="number">{personas.length + channels.length + only.length}</span>
          </summary>
          <div class="stack">
            <p class="faint">
              Without a tick, a filter stops nothing. A filter stops only events that name a reader, a channel or a
              repository.
            </p>
            <Ticks
              legend="Readers"
              at="personas"
              options={choicesOf(personaTexts)}
              chosen={personas}
              onChange={setPersonas}
            />
            <Ticks
              legend="Channels"
              at="channels"
              options={channelNames.map((name) => [name, channelWords[name].name] as const)}
              chosen={channels}
              onChange={setChannels}
            />
            {shown.length > 0 && (
              <Ticks
                legend="Repositories"
                at="repositories"
                options={shown.map(({ id, fullName }) => [id, fullName] as const)}
                chosen={only}
                onChange={setOnly}
              />
            )}
          </div>
        </details>
      </Fields>
      <footer class="dialog-actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={isBusy || url.trim() === '' || events.length === 0}>
          {of ? 'Save' : 'Create endpoint'}
        </button>
      </footer>
    </form>
  );
}

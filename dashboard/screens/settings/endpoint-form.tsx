/** The form of an endpoint: its address, the events that it receives, and filters. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type NewWebhookEndpoint, PreconditionFailedError, type WebhookEndpoint } from '../../../sdk/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { EditedActions, EditedNotice } from '../../parts/edited-notice.tsx';
import { ErrorBox, Skeleton } from '../../parts/feedback.tsx';
import { choicesOf, Fields, faultsOf, TextField, Ticks } from '../../parts/fields.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { storedOf, useEdited } from '../../state/edited.ts';
import { useLoad } from '../../state/load.ts';
import { repositories } from '../../state/repositories.ts';
import { api, isInstanceKey } from '../../state/session.ts';
import { isSame } from '../../text/settings.ts';
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
    (signal) => api().getWebhookEndpoint({ endpointId: of?.id as string }, { signal }),
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
          of={current.data}
          events={events.map(({ event, summary }) => [event as Event, event, summary] as const)}
          onStale={current.reload}
          {...{ onCreated, onSaved, onClose }}
        />
      )}
    </Dialog>
  );
}

/** The input of the form. Filters that are not set are empty lists. */
interface Input {
  url: string;
  description: string;
  org: string;
  events: readonly Event[];
  personas: NonNullable<WebhookEndpoint['personas']>;
  channels: NonNullable<WebhookEndpoint['channels']>;
  repositories: NonNullable<WebhookEndpoint['repositories']>;
}

/** Name under which the input of the form is kept. */
export function endpointFormName(endpointId = 'new'): string {
  return `endpoint-${endpointId}`;
}

function inputOf({ url, description, orgId, events, personas, channels, repositories: only }: WebhookEndpoint): Input {
  const filters = { personas: personas ?? [], channels: channels ?? [], repositories: only ?? [] };
  return { url, description, org: orgId, events, ...filters };
}

function Form({
  of,
  events: known,
  onStale,
  onCreated,
  onSaved,
  onClose,
}: {
  of: WebhookEndpoint | undefined;
  events: readonly (readonly [event: Event, name: string, summary: string])[];
  onStale: () => void;
  onCreated: (endpoint: NewWebhookEndpoint) => void;
  onSaved: () => void;
  onClose: () => void;
}): JSX.Element | null {
  const organizations = useOrganizations();
  const stored = useMemo(() => {
    if (of) return storedOf(of, inputOf(of));
    const filters = { personas: [], channels: [], repositories: [] };
    const value: Input = { url: '', description: '', org: '', events: known.map(([event]) => event), ...filters };
    return { value, etag: '' };
  }, [of]);
  const title = of ? `Endpoint ${of.description.trim() === '' ? of.url : of.description}` : 'New endpoint';
  const edited = useEdited({ name: endpointFormName(of?.id), title, isSecret: true }, stored);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const { error, attempt } = useAttempt();
  if (!edited) return null;
  const { base, mine, set, finish } = edited;
  const { url, description, events, personas, channels, repositories: only } = mine;
  const change = (fields: Partial<Input>): void => set({ ...mine, ...fields });
  const isInstance = isInstanceKey();
  const orgId = mine.org !== '' ? mine.org : isInstance ? (organizations.data?.[0]?.id ?? '') : '';
  const shown = (repositories.value ?? []).filter((each) => orgId === '' || each.orgId === orgId);
  const faults = faultsOf(error, ['url', 'description', 'org', 'events', 'personas', 'channels', 'repositories']);
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setRefused(undefined);
    const { org, ...given } = { ...mine, url: url.trim(), description: description.trim() };
    await attempt(async () => {
      if (!of) {
        const owner = isInstance ? { org: orgId } : {};
        const created = await api().createWebhookEndpoint({ ...given, ...owner });
        finish();
        return onCreated(created);
      }
      // The query of a stored address is not shown, so only what was edited is sent.
      const changed = Object.entries(given).filter(([name, value]) => !isSame(value, base.value[name as keyof Input]));
      try {
        const fields = Object.fromEntries(changed) as Partial<typeof given>;
        await api().updateWebhookEndpoint({ endpointId: of.id, ...fields }, { ifMatch: base.etag });
      } catch (found) {
        if (!(found instanceof PreconditionFailedError)) throw found;
        // The newest settings then appear beside those of the form.
        setRefused(base.etag);
        return onStale();
      }
      finish();
      onSaved();
    });
    setBusy(false);
  };
  return (
    <form class="stack" onSubmit={save} autocomplete="off">
      <EditedNotice of={edited} what="This endpoint was" />
      <Fields error={error} faults={faults}>
        {!of && (
          <OrganizationField
            label="Organization"
            organizations={organizations.data}
            value={orgId}
            onChange={(org) => change({ org, repositories: [] })}
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
          onChange={(next) => change({ url: next })}
          input={{ 'data-first': true, inputMode: 'url', placeholder: 'https://hooks.example.com/tidings' }}
        />
        <TextField
          label="Description"
          at="description"
          value={description}
          onChange={(next) => change({ description: next })}
          input={{ maxLength: 200 }}
        />
        <Ticks
          legend="Events"
          at="events"
          options={known}
          chosen={events}
          onChange={(next) => change({ events: next })}
        />
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
              onChange={(next) => change({ personas: next })}
            />
            <Ticks
              legend="Channels"
              at="channels"
              options={channelNames.map((name) => [name, channelWords[name].name] as const)}
              chosen={channels}
              onChange={(next) => change({ channels: next })}
            />
            {shown.length + only.length > 0 && (
              <Ticks
                legend="Repositories"
                at="repositories"
                options={shown.map(({ id, fullName }) => [id, fullName] as const)}
                chosen={only}
                onChange={(next) => change({ repositories: next })}
              />
            )}
          </div>
        </details>
      </Fields>
      <EditedActions
        of={edited}
        refused={refused}
        save={of ? 'Save' : 'Create endpoint'}
        isBlocked={isBusy || url.trim() === '' || events.length === 0}
        onClose={onClose}
      />
    </form>
  );
}

/** The form that connects a channel, with exactly the settings of that channel. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type Channel, type Operations, PreconditionFailedError } from '../../../sdk/index.ts';
import { Options } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EditedActions, EditedNotice } from '../../parts/edited-notice.tsx';
import { Pill, Shown } from '../../parts/feedback.tsx';
import { Field, Fields, faultsOf, SelectField, TextField } from '../../parts/fields.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { storedOf, useEdited } from '../../state/edited.ts';
import { useLoad } from '../../state/load.ts';
import { api } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { type ChannelField, channelFields, settingsOf, valuesOf } from '../../text/channel-fields.ts';
import { type ChannelName, channelWords } from '../../text/words.ts';

/** Whom a connection belongs to: an organization, or one of its repositories. */
export interface Owner {
  orgId: string;
  repoId?: string;
}

type Settings = Operations['putChannel']['input']['settings'];

export function ChannelForm({
  of: { channel, updatedAt },
  owner,
  ownerName,
  onSaved,
  onClose,
}: {
  of: Channel;
  owner: Owner;
  ownerName: string;
  onSaved: () => void;
  onClose: () => void;
}): JSX.Element {
  const loaded = useLoad(
    'channel',
    (signal) => api().getChannel({ channel, ...owner }, { signal }),
    // Data of an earlier state is not shown meanwhile, since the person may begin to type at once.
    [channel, owner.orgId, owner.repoId ?? '', updatedAt ?? ''],
  );
  return (
    <Dialog title={`${channelWords[channel].name} of ${ownerName}`} size="side" onClose={onClose}>
      <Shown of={loaded}>
        {(found) => <Form of={found} onStale={loaded.reload} {...{ owner, ownerName, onSaved, onClose }} />}
      </Shown>
    </Dialog>
  );
}

/** The input of the form. The method is that of a new connection; a stored one keeps its own. */
interface Input {
  method: string | undefined;
  values: Readonly<Record<string, string>>;
}

/** Name under which the input of the form is kept. */
export function channelFormName({ orgId, repoId = '' }: Owner, channel: ChannelName): string {
  return `channel-${orgId}-${repoId}-${channel}`;
}

function Form({
  of,
  owner,
  ownerName,
  onStale,
  onSaved,
  onClose,
}: {
  of: Channel;
  owner: Owner;
  ownerName: string;
  onStale: () => void;
  onSaved: () => void;
  onClose: () => void;
}): JSX.Element | null {
  const { channel, source, hasSecret } = of;
  const { name, does } = channelWords[channel];
  const all = channelFields[channel];
  const isOwn = source === (owner.repoId === undefined ? 'organization' : 'repository');
  const isSet = (field: string): boolean => isOwn && hasSecret[field] === true;
  const methods = [...new Set(all.flatMap(({ method }) => method ?? []))];
  const storedMethod = all.find((each) => each.method !== undefined && isSet(each.name))?.method;
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const { error, attempt } = useAttempt();
  const stored = useMemo(
    () => storedOf<Input>(of, { method: storedMethod ?? methods[0], values: valuesOf(all, of.settings) }),
    [of],
  );
  const edited = useEdited(
    { name: channelFormName(owner, channel), title: `${name} of ${ownerName}`, isSecret: true },
    stored,
  );
  if (!edited) return null;
  const { base, mine, set, finish } = edited;
  const fields = all.filter(({ method }) => method === undefined || method === (storedMethod ?? mine.method));
  const faults = faultsOf(
    error,
    fields.map((each) => each.name),
  );
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setRefused(undefined);
    await attempt(async () => {
      const settings = settingsOf(fields, mine.values) as Settings;
      try {
        await api().putChannel({ channel, ...owner, settings }, base.etag === '' ? {} : { ifMatch: base.etag });
      } catch (found) {
        if (!(found instanceof PreconditionFailedError)) throw found;
        // The newest settings then appear beside those of the form.
        setRefused(base.etag);
        return onStale();
      }
      showToast(`${name} is connected. Test it next.`);
      finish();
      onSaved();
    });
    setBusy(false);
  };
  return (
    <form class="stack" onSubmit={save} autocomplete="off">
      <EditedNotice of={edited} what="This connection was" />
      <p>{does}</p>
      {!isOwn && source === 'organization' && (
        <p class="box">
          The repository now uses the connection of its organization. Saving makes a connection of its own, so enter the
          secrets again.
        </p>
      )}
      {methods.length > 0 &&
        (storedMethod === undefined ? (
          <fieldset class="choice">
            <legend>Method</legend>
            <Options
              name="method"
              texts={Object.fromEntries(methods.map((each) => [each, each]))}
              chosen={mine.method}
              onChoose={(method) => set({ ...mine, method })}
            />
          </fieldset>
        ) : (
          <p class="faint">Method: {storedMethod}. For the other method, disconnect the channel first.</p>
        ))}
      {fields.length === 0 && <p class="faint">This channel has no settings.</p>}
      <Fields error={error} faults={faults}>
        {fields.map((field) => (
          <ChannelInput
            key={field.name}
            of={field}
            isSet={isSet(field.name)}
            value={mine.values[field.name] ?? ''}
            onChange={(value) => set({ ...mine, values: { ...mine.values, [field.name]: value } })}
          />
        ))}
      </Fields>
      <EditedActions
        of={edited}
        refused={refused}
        save={isBusy ? 'Saving…' : 'Save'}
        isBlocked={isBusy}
        onClose={onClose}
      />
    </form>
  );
}

interface InputOf {
  of: ChannelField;
  isSet: boolean;
  value: string;
  onChange: (value: string) => void;
}

function ChannelInput({ of, isSet, value, onChange }: InputOf): JSX.Element {
  const { name, label, kind, isSecret, about, options = [] } = of;
  const mark = isSet && <Pill tone="good">set</Pill>;
  const help = isSet ? `Leave it empty to keep the stored value. ${about ?? ''}` : about;
  const field = { label, at: name, mark, ...(help !== undefined && { about: help }) };
  const placeholder = isSet ? '' : of.placeholder;
  if (kind === 'choice') return <SelectField {...field} value={value} onChange={onChange} options={options} />;
  if (kind === 'picture') return <Picture {...field} value={value} onChange={onChange} />;
  if (kind === 'list' || kind === 'text')
    return (
      <Field {...field}>
        {(props) => (
          <textarea
            {...props}
            rows={4}
            spellcheck={false}
            placeholder={placeholder}
            value={value}
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
          />
        )}
      </Field>
    );
  const input = {
    placeholder,
    ...(kind === 'number' && { inputMode: 'numeric' as const }),
    ...(isSecret && { class: 'veiled' }),
  };
  const line = <TextField {...field} value={value} onChange={onChange} input={input} />;
  if (kind !== 'key') return line;
  return (
    <div>
      {line}
      <button type="button" class="small" onClick={() => onChange(randomKey())}>
        Make a key
      </button>
    </div>
  );
}

/** A picture as a data URI, which the browser makes from a file. */
function Picture({ value, onChange, ...field }: Omit<Parameters<typeof TextField>[0], 'input'>): JSX.Element {
  const read = (file: File | undefined): void => {
    if (!file) return;
    const reader = new FileReader();
    reader.onload = () => onChange(String(reader.result));
    reader.readAsDataURL(file);
  };
  return (
    <Field {...field}>
      {(props) => (
        <>
          {value !== '' && (
            <p class="picture-line">
              <img src={value} alt="The logo" />
              <button type="button" class="small" onClick={() => onChange('')}>
                Remove
              </button>
            </p>
          )}
          <input
            {...props}
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            onChange={({ currentTarget }) => read(currentTarget.files?.[0])}
          />
        </>
      )}
    </Field>
  );
}

/** Makes a key of 22 characters, which has 132 bits that no one can guess. */
function randomKey(): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';
  return Array.from(crypto.getRandomValues(new Uint8Array(22)), (byte) => letters[byte & 63]).join('');
}

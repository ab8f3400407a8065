/** The form that connects a channel, with exactly the settings of that channel. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Channel, metaOf, type Operations } from '../../../sdk/index.ts';
import { Options } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Pill, Shown } from '../../parts/feedback.tsx';
import { Field, Fields, faultsOf, SelectField, TextField } from '../../parts/fields.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { useLoad } from '../../state/load.ts';
import { api } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { type ChannelField, channelFields, settingsOf, valuesOf } from '../../text/channel-fields.ts';
import { channelWords } from '../../text/words.ts';

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
    async (signal) => {
      const found = await api().getChannel({ channel, ...owner }, { signal });
      return { found, etag: metaOf(found).etag };
    },
    // Data of an earlier state is not shown meanwhile, since the person may begin to type at once.
    [channel, owner.orgId, owner.repoId ?? '', updatedAt ?? ''],
  );
  return (
    <Dialog title={`${channelWords[channel].name} of ${ownerName}`} size="side" onClose={onClose}>
      <Shown of={loaded}>
        {({ found, etag }) => <Form key={etag} of={found} {...{ owner, etag, onSaved, onClose }} />}
      </Shown>
    </Dialog>
  );
}

function Form({
  of,
  owner,
  etag,
  onSaved,
  onClose,
}: {
  of: Channel;
  owner: Owner;
  etag: string | undefined;
  onSaved: () => void;
  onClose: () => void;
}): JSX.Element {
  const { channel, source, hasSecret } = of;
  const all = channelFields[channel];
  const isOwn = source === (owner.repoId === undefined ? 'organization' : 'repository');
  const isSet = (name: string): boolean => isOwn && hasSecret[name] === true;
  const methods = [...new Set(all.flatMap(({ method }) => method ?? []))];
  const stored = all.find(({ name, method }) => method !== undefined && isSet(name))?.method;
  const [chosen, setMethod] = useState(stored ?? methods[0]);
  const [values, setValues] = useState(() => valuesOf(all, of.settings));
  const [isBusy, setBusy] = useState(false);
  const { error, attempt } = useAttempt();
  const fields = all.filter(({ method }) => method === undefined || method === chosen);
  const faults = faultsOf(
    error,
    fields.map(({ name }) => name),
  );
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    await attempt(async () => {
      const settings = settingsOf(fields, values) as Settings;
      await api().putChannel({ channel, ...owner, settings }, etag === undefined ? {} : { ifMatch: etag });
      showToast(`${channelWords[channel].name} is connected. Test it next.`);
      onSaved();
    });
    setBusy(false);
  };
  return (
    <form class="stack" onSubmit={save} autocomplete="off">
      <p>{channelWords[channel].does}</p>
      {!isOwn && source === 'organization' && (
        <p class="box">
          The repository now uses the connection of its organization. Saving makes a connection of its own, so enter the
          secrets again.
        </p>
      )}
      {methods.length > 0 &&
        (stored === undefined ? (
          <fieldset class="choice">
            <legend>Method</legend>
            <Options
              name="method"
              texts={Object.fromEntries(methods.map((each) => [each, each]))}
              chosen={chosen}
              onChoose={setMethod}
            />
          </fieldset>
        ) : (
          <p class="faint">Method: {stored}. For the other method, disconnect the channel first.</p>
        ))}
      {fields.length === 0 && <p class="faint">This channel has no settings.</p>}
      <Fields error={error} faults={faults}>
        {fields.map((field) => (
          <ChannelInput
            key={field.name}
            of={field}
            isSet={isSet(field.name)}
            value={values[field.name] ?? ''}
            onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
      </Fields>
      <footer class="dialog-actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Saving…' : 'Save'}
        </button>
      </footer>
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

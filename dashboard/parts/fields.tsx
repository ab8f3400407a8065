/** Fields of forms with what the service found wrong with them, ticks, and the choice of an overlap. */
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { TidingsError } from '../../sdk/index.ts';
import { ErrorBox } from './feedback.tsx';
import { Icon } from './icons.tsx';

/** What the service says about fields of a form, by the name of the field. */
export type Faults = Readonly<Record<string, string>>;

/**
 * Returns the faults of fields. A fault of an item of a list, such as `recipients.2`, belongs to the field of the list.
 * @param names the fields that the form shows
 */
export function faultsOf(error: Error | undefined, names: readonly string[]): Faults {
  if (!(error instanceof TidingsError)) return {};
  const found: Record<string, string> = {};
  for (const [path, text] of Object.entries(error.details)) {
    const [name = ''] = path.replace(/^settings\./, '').split('.');
    if (names.includes(name)) found[name] ??= text;
  }
  return found;
}

/** Shows why a form was refused. Faults that are beside their fields are not repeated. */
export function FormError({ error, faults }: { error: Error | undefined; faults: Faults }): JSX.Element | null {
  if (!error) return null;
  if (Object.keys(faults).length === 0) return <ErrorBox error={error} />;
  return (
    <p class="box bad" role="alert">
      <Icon name="warning" /> Nothing was saved. See the marked fields.
    </p>
  );
}

interface FieldProps {
  label: string;
  /** Shown beside the label, such as a state. */
  mark?: ComponentChildren;
  about?: ComponentChildren;
  fault?: string | undefined;
}

/** Attributes that connect an input with its label and its fault. */
export interface InputProps {
  id: string;
  'aria-describedby': string;
  'aria-invalid': boolean;
}

export function Field({
  label,
  mark,
  about,
  fault,
  children,
}: FieldProps & { children: (props: InputProps) => ComponentChildren }): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label> {mark}
      {children({ id, 'aria-describedby': `${id}-about`, 'aria-invalid': fault !== undefined })}
      <p id={`${id}-about`} class="faint">
        {fault !== undefined && (
          <span class="field-problem">
            <Icon name="warning" /> {fault}{' '}
          </span>
        )}
        {about}
      </p>
    </div>
  );
}

/** A field of one line of text. */
export function TextField({
  value,
  onChange,
  input,
  ...field
}: FieldProps & {
  value: string;
  onChange: (value: string) => void;
  input?: JSX.InputHTMLAttributes<HTMLInputElement> & { 'data-first'?: boolean };
}): JSX.Element {
  return (
    <Field {...field}>
      {(props) => (
        <input
          {...props}
          type="text"
          autocomplete="off"
          spellcheck={false}
          {...input}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A choice of one among values with their texts. */
export function SelectField<Value extends string>({
  value,
  onChange,
  options,
  ...field
}: FieldProps & {
  value: Value;
  onChange: (value: Value) => void;
  options: readonly (readonly [value: Value, text: string])[];
}): JSX.Element {
  return (
    <Field {...field}>
      {(props) => (
        <select {...props} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}>
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Tick({
  label,
  about,
  checked,
  onChange,
}: {
  label: string;
  about?: string | undefined;
  checked: boolean;
  onChange: (checked: boolean) => void;
}): JSX.Element {
  return (
    <label>
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      <span>
        {label}
        {about !== undefined && <span class="faint">{about}</span>}
      </span>
    </label>
  );
}

/** Ticks of several values. */
export function Ticks<Value extends string>({
  legend,
  about,
  fault,
  options,
  chosen,
  onChange,
}: {
  legend: string;
  about?: string;
  fault?: string | undefined;
  options: readonly (readonly [value: Value, text: string, about?: string])[];
  chosen: readonly Value[];
  onChange: (chosen: Value[]) => void;
}): JSX.Element {
  return (
    <fieldset class="ticks">
      <legend>{legend}</legend>
      {about && <p class="faint">{about}</p>}
      {fault !== undefined && (
        <p class="field-problem">
          <Icon name="warning" /> {fault}
        </p>
      )}
      {options.map(([value, text, what]) => (
        <Tick
          key={value}
          label={text}
          about={what}
          checked={chosen.includes(value)}
          onChange={(isOn) => onChange(isOn ? [...chosen, value] : chosen.filter((each) => each !== value))}
        />
      ))}
    </fieldset>
  );
}

const overlaps = [
  ['24', '24 hours'],
  ['0', 'not at all'],
  ['1', '1 hour'],
  ['168', '7 days'],
  ['720', '30 days'],
] as const;

/** How long a replaced secret still works, in hours as text. */
export type Overlap = (typeof overlaps)[number][0];

export function OverlapField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: Overlap;
  onChange: (value: Overlap) => void;
}): JSX.Element {
  return <SelectField label={label} value={value} onChange={onChange} options={overlaps} />;
}

/** Fields of forms with what the service found wrong with them, ticks, and the choice of an overlap. */
import { type ComponentChildren, createContext, type JSX } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { TidingsError } from '../../sdk/index.ts';
import { ErrorBox } from './feedback.tsx';
import { Icon } from './icons.tsx';

/** Faults of the fields of a form, by names such as `titles.fix`. */
export type Faults = Readonly<Record<string, string>>;

const FaultsHere = createContext<Faults>({});

/**
 * Returns what the service found wrong with fields.
 * @param names the fields that the form shows; parts of a field, such as `recipients.2`, belong to it
 */
export function faultsOf(error: Error | undefined, names: readonly string[]): Faults {
  const found = faultList(error).filter(([field]) => names.includes(field.split('.', 1)[0] as string));
  return Object.fromEntries(found);
}

/** Fields of channels are in the object `settings` of a request. */
function faultList(error: Error | undefined): [field: string, fault: string][] {
  if (!(error instanceof TidingsError)) return [];
  return Object.entries(error.details).map(([field, fault]) => [field.replace(/^settings\./, ''), fault]);
}

/**
 * Gives the fields inside their faults, and says below them why the form was refused. Faults that are beside their
 * fields are not repeated there.
 */
export function Fields({
  faults,
  error,
  children,
}: {
  faults: Faults;
  error: Error | undefined;
  children: ComponentChildren;
}): JSX.Element {
  const all = faultList(error);
  const isBeside = all.length > 0 && all.every(([field]) => Object.hasOwn(faults, field));
  return (
    <>
      <FaultsHere.Provider value={faults}>{children}</FaultsHere.Provider>
      {error && !isBeside && <ErrorBox error={error} />}
      {isBeside && (
        <p class="box bad" role="alert">
          <Icon name="warning" /> Nothing was saved. See the marked fields.
        </p>
      )}
    </>
  );
}

/** Returns the fault of a field or, unless `isExact`, of a part of it. */
function useFault(at: string | undefined, isExact = false): string | undefined {
  const faults = Object.entries(useContext(FaultsHere));
  return faults.find(([field]) => field === at || (!isExact && field.startsWith(`${at}.`)))?.[1];
}

/** Says what is wrong with a field, if anything. A part of the field has its fault beside itself if `isExact`. */
export function Fault({ at, isExact }: { at: string; isExact?: boolean }): JSX.Element | null {
  const fault = useFault(at, isExact);
  return fault === undefined ? null : (
    <p class="field-problem">
      <Icon name="warning" /> {fault}
    </p>
  );
}

interface FieldProps {
  label: string;
  isLabelHidden?: boolean;
  /** Name of the field in faults of the service. */
  at?: string;
  /** Shown beside the label, such as a state. */
  mark?: ComponentChildren;
  about?: ComponentChildren;
}

/** Attributes that connect an input with its label and its fault. */
export interface InputProps {
  id: string;
  'aria-describedby': string;
  'aria-invalid': boolean;
}

export function Field({
  label,
  isLabelHidden = false,
  at,
  mark,
  about,
  children,
}: FieldProps & { children: (props: InputProps) => ComponentChildren }): JSX.Element {
  const id = useId();
  const fault = useFault(at);
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'hidden' : undefined}>
        {label}
      </label>{' '}
      {mark}
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

/** A field of one line of text, or of another kind that `input` names. */
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

/** The values of a choice, each with its text and more words about it. */
type Choices<Value extends string> = readonly (readonly [value: Value, text: string, about?: string])[];

/** Returns the choices between values that have texts. */
export function choicesOf<Value extends string>(texts: Readonly<Record<Value, string>>): Choices<Value> {
  return Object.entries(texts) as [Value, string][];
}

/** A choice of one among values. */
export function SelectField<Value extends string>({
  value,
  onChange,
  options,
  select,
  ...field
}: FieldProps & {
  value: Value;
  onChange: (value: Value) => void;
  options: Choices<Value>;
  select?: JSX.SelectHTMLAttributes<HTMLSelectElement>;
}): JSX.Element {
  return (
    <Field {...field}>
      {(props) => (
        <select
          {...props}
          {...select}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
        >
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

/** @param input further attributes, such as the role `switch` of a tick that is saved at once */
export function Tick({
  label,
  about,
  checked,
  onChange,
  input,
}: {
  label: string;
  about?: string | undefined;
  checked: boolean;
  onChange: (checked: boolean) => void;
  input?: JSX.InputHTMLAttributes<HTMLInputElement>;
}): JSX.Element {
  return (
    <label>
      <input
        {...input}
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>
        {label}
        {about !== undefined && <span class="faint">{about}</span>}
      </span>
    </label>
  );
}

/**
 * Several values of a list. The chosen ones keep the order of the list. A chosen value that the list does not have, such
 * as one that was not loaded, stays until its tick is removed.
 */
export function Ticks<Value extends string>({
  legend,
  at = '',
  options,
  chosen,
  onChange,
  isRow = false,
}: {
  legend: string;
  at?: string;
  options: Choices<Value>;
  chosen: readonly Value[];
  onChange: (chosen: Value[]) => void;
  isRow?: boolean;
}): JSX.Element {
  const others = chosen.filter((each) => !options.some(([value]) => value === each));
  const shown: Choices<Value> = [...options, ...others.map((each) => [each, each, 'not in the list'] as const)];
  const all = shown.map(([value]) => value);
  return (
    <fieldset class={isRow ? 'ticks row' : 'ticks'}>
      <legend>{legend}</legend>
      <Fault at={at} />
      {shown.map(([value, text, about]) => (
        <Tick
          key={value}
          label={text}
          about={about}
          checked={chosen.includes(value)}
          onChange={(isOn) => onChange(all.filter((each) => (each === value ? isOn : chosen.includes(each))))}
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

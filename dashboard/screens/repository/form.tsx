/** Fields of the forms of a repository. Each shows what the service found wrong with it. */
import { createContext, type JSX } from 'preact';
import { useContext, useId, useState } from 'preact/hooks';
import { TidingsError } from '../../../sdk/index.ts';
import { Tick } from '../../parts/fields.tsx';
import { linesToList } from '../../text/settings.ts';
import { type Persona, personaTexts } from '../../text/words.ts';

/** What the service says about all fields of a form. */
export function allFaults(error: Error | undefined): Readonly<Record<string, string>> {
  return error instanceof TidingsError ? error.details : {};
}

/** What is wrong with fields, by names such as `titles.fix`. */
export const Faults = createContext<Readonly<Record<string, string>>>({});

/** Returns what is wrong with a field or, unless `isExact`, with a part of it. */
function useFault(at: string, isExact = false): string | undefined {
  const faults = Object.entries(useContext(Faults));
  return faults.find(([field]) => field === at || (!isExact && field.startsWith(`${at}.`)))?.[1];
}

/** Attributes that connect a field with its fault. */
function invalid(fault: string | undefined, id: string): { 'aria-invalid'?: true; 'aria-describedby'?: string } {
  return fault === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': id };
}

/** Says what is wrong with a field, if anything. */
export function Fault({ at, id, isExact }: { at: string; id?: string; isExact?: boolean }): JSX.Element | null {
  const fault = useFault(at, isExact);
  return fault === undefined ? null : (
    <span id={id} class="field-problem">
      {fault}
    </span>
  );
}

/** @param at name of the field in faults of the service */
export function TextField({
  label,
  at,
  value,
  onChange,
  about,
  isLabelHidden = false,
  number,
  list,
  hint,
}: {
  label: string;
  at: string;
  value: string;
  onChange: (value: string) => void;
  about?: string;
  isLabelHidden?: boolean;
  /** Bounds of a number; without them, the field takes text. */
  number?: { min: number; max: number };
  list?: string;
  hint?: string;
}): JSX.Element {
  const id = useId();
  const fault = useFault(at);
  return (
    <label class="form-field">
      <span class={isLabelHidden ? 'hidden' : undefined}>{label}</span>
      <input
        type={number ? 'number' : 'text'}
        {...number}
        list={list}
        placeholder={hint}
        autocomplete="off"
        value={value}
        {...invalid(fault, id)}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {about !== undefined && <span class="faint">{about}</span>}
      <Fault at={at} id={id} />
    </label>
  );
}

/** A list that is written with one item per line. */
export function ListField({
  label,
  at,
  value,
  onChange,
  about,
}: {
  label: string;
  at: string;
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
  about?: string;
}): JSX.Element {
  const id = useId();
  const fault = useFault(at);
  // The text keeps what a list does not have, such as a line that is still empty.
  const [text, setText] = useState(value.join('\n'));
  const isOther = linesToList(text).join('\n') !== value.join('\n');
  const shown = isOther ? value.join('\n') : text;
  return (
    <label class="form-field">
      <span>{label}</span>
      <textarea
        rows={Math.min(8, Math.max(2, shown.split('\n').length))}
        spellcheck={false}
        value={shown}
        {...invalid(fault, id)}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          onChange(linesToList(currentTarget.value));
        }}
      />
      <span class="faint">{about !== undefined ? `${about} One per line.` : 'One per line.'}</span>
      <Fault at={at} id={id} />
    </label>
  );
}

/** Several values of a fixed list. They keep the order of the list. */
export function Ticks<Value extends string>({
  legend,
  at,
  texts,
  chosen,
  onChange,
  isRow = false,
}: {
  legend: string;
  at: string;
  texts: Readonly<Record<Value, string>>;
  chosen: readonly Value[];
  onChange: (chosen: readonly Value[]) => void;
  isRow?: boolean;
}): JSX.Element {
  const all = Object.keys(texts) as Value[];
  return (
    <fieldset class={isRow ? 'ticks row' : 'ticks'}>
      <legend>{legend}</legend>
      {all.map((value) => (
        <Tick
          key={value}
          label={texts[value]}
          checked={chosen.includes(value)}
          onChange={(checked) => onChange(all.filter((each) => (each === value ? checked : chosen.includes(each))))}
        />
      ))}
      <Fault at={at} />
    </fieldset>
  );
}

/** The readers that drafts are written for. */
export function PersonaTicks({
  at,
  chosen,
  onChange,
}: {
  at: string;
  chosen: readonly Persona[];
  onChange: (chosen: readonly Persona[]) => void;
}): JSX.Element {
  return <Ticks legend="Drafts for" at={at} texts={personaTexts} chosen={chosen} onChange={onChange} isRow />;
}

export function Select<Value extends string>({
  label,
  at,
  texts,
  value,
  onChange,
  isLabelHidden = false,
}: {
  label: string;
  at: string;
  texts: Readonly<Record<Value, string>>;
  value: Value;
  onChange: (value: Value) => void;
  isLabelHidden?: boolean;
}): JSX.Element {
  return (
    <label class="form-field">
      <span class={isLabelHidden ? 'hidden' : undefined}>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}>
        {(Object.entries(texts) as [Value, string][]).map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
      <Fault at={at} />
    </label>
  );
}

/** A field that adds a name to a list. */
export function Adder({
  label,
  suggestions,
  onAdd,
}: {
  label: string;
  suggestions: readonly string[];
  onAdd: (name: string) => void;
}): JSX.Element {
  const [text, setText] = useState('');
  const id = useId();
  const add = (): void => {
    if (text.trim() !== '') onAdd(text.trim());
    setText('');
  };
  return (
    <div class="adder">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        autocomplete="off"
        list={`${id}-list`}
        maxLength={100}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <datalist id={`${id}-list`}>
        {suggestions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <button type="button" aria-label={`${label}: add`} disabled={text.trim() === ''} onClick={add}>
        Add
      </button>
    </div>
  );
}

/** Fields whose value is a list: one item per line, or names that are added one by one. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { linesToList } from '../text/settings.ts';
import { Field } from './fields.tsx';

/** A list that is written with one item per line. */
export function ListField({
  value,
  onChange,
  about,
  ...field
}: {
  label: string;
  at: string;
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
  about?: string;
}): JSX.Element {
  // The text keeps what a list does not have, such as a line that is still empty.
  const [text, setText] = useState(value.join('\n'));
  const isOther = linesToList(text).join('\n') !== value.join('\n');
  const shown = isOther ? value.join('\n') : text;
  return (
    <Field {...field} about={about === undefined ? 'One per line.' : `${about} One per line.`}>
      {(props) => (
        <textarea
          {...props}
          rows={Math.min(8, Math.max(2, shown.split('\n').length))}
          spellcheck={false}
          value={shown}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            onChange(linesToList(currentTarget.value));
          }}
        />
      )}
    </Field>
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

/** Lets the person choose one of a few values. The element around it has the class `choice`. */
import type { JSX } from 'preact';
import { useSearchParams } from 'wouter-preact';

export type Texts<Value extends string> = Readonly<Record<Value, string>>;

/** @param name name of the group, which is unique on the screen */
export function Options<Value extends string>({
  name,
  texts,
  chosen,
  onChoose,
}: {
  name: string;
  texts: Texts<Value>;
  chosen: Value | undefined;
  onChoose: (value: Value) => void;
}): JSX.Element {
  return (
    <>
      {(Object.entries(texts) as [Value, string][]).map(([value, text]) => (
        <label key={value}>
          <input type="radio" name={name} checked={chosen === value} onChange={() => onChoose(value)} />
          <span>{text}</span>
        </label>
      ))}
    </>
  );
}

/**
 * The filter above a table. Its value is in the address; see `useFilter`.
 * @param texts the values with their texts; the empty value shows everything
 */
export function Filter<Value extends string>({
  legend,
  name,
  texts,
  onChange,
}: {
  legend: string;
  name: string;
  texts: Texts<Value | ''>;
  onChange: () => void;
}): JSX.Element {
  const [, setQuery] = useSearchParams();
  const choose = (value: Value | ''): void => {
    onChange();
    setQuery(value === '' ? {} : { [name]: value }, { replace: true });
  };
  return (
    <fieldset class="choice above-table">
      <legend class="hidden">{legend}</legend>
      <Options name={name} texts={texts} chosen={useFilter(name, texts)} onChoose={choose} />
    </fieldset>
  );
}

/** Returns the value of a filter in the address; the empty value if the address has none, or one that does not exist. */
export function useFilter<Value extends string>(name: string, texts: Texts<Value | ''>): Value | '' {
  const [query] = useSearchParams();
  const asked = query.get(name) ?? '';
  return Object.hasOwn(texts, asked) ? (asked as Value) : '';
}

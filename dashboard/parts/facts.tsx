/** A list of names with their values. */
import type { JSX } from 'preact';

export function Facts({ of }: { of: readonly (readonly [name: string, value: string | number])[] }): JSX.Element {
  return (
    <dl class="payload-fields">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

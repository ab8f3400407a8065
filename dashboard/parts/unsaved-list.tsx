/** Lists the changes that are not saved, in a question before they are dropped. */
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { unsaved } from '../state/unsaved.ts';

/** @param onOpen called when the person goes to one of the changes */
export function UnsavedList({ onOpen }: { onOpen: () => void }): JSX.Element | null {
  if (unsaved.value.length === 0) return null;
  return (
    <>
      <p>These changes are not saved, and are dropped:</p>
      <ul>
        {unsaved.value.map(({ name, title, href }) => (
          <li key={name}>
            <Link href={href} onClick={onOpen}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Says which scopes a key lacks, instead of showing the part that it may not see. */
import type { ComponentChildren, JSX } from 'preact';
import { lackedOf, type Scope } from '../state/session.ts';
import { Empty } from './feedback.tsx';

/**
 * Shows a part of a screen if the key has all scopes for it. Otherwise nothing of the part is loaded.
 * @param to what the key may not do, such as "see publications"
 */
export function Allowed({
  scopes,
  to,
  children,
}: {
  scopes: readonly Scope[];
  to: string;
  children: ComponentChildren;
}): JSX.Element {
  const lacked = lackedOf(...scopes);
  if (lacked.length === 0) return <>{children}</>;
  return (
    <Empty title={`Your key may not ${to}.`}>
      <p>
        It lacks the {lacked.length === 1 ? 'scope' : 'scopes'} <ScopeNames of={lacked} />.
      </p>
    </Empty>
  );
}

/** One line about a part that is left out because of missing scopes. It is empty for a key that has them. */
export function Needs({ scopes, to }: { scopes: readonly Scope[]; to: string }): JSX.Element | null {
  const lacked = lackedOf(...scopes);
  if (lacked.length === 0) return null;
  return (
    <p class="needs faint">
      To {to}, a key needs the {lacked.length === 1 ? 'scope' : 'scopes'} <ScopeNames of={lacked} />.
    </p>
  );
}

function ScopeNames({ of }: { of: readonly Scope[] }): JSX.Element {
  return (
    <>
      {of.map((scope, i) => (
        <span key={scope}>
          {i > 0 && (i === of.length - 1 ? ' and ' : ', ')}
          <code>{scope}</code>
        </span>
      ))}
    </>
  );
}

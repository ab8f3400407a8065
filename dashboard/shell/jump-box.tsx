/** The box that finds a repository or a screen by its name. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Dialog } from '../parts/dialog.tsx';
import { repositories } from '../state/repositories.ts';
import { settingsParts } from '../state/settings-parts.ts';
import { isJumpOpen } from './keys.ts';

interface Place {
  href: string;
  name: string;
  about: string;
}

const screens: readonly Place[] = [
  { href: '/', name: 'Inbox', about: 'Screen' },
  { href: '/app/repositories', name: 'Repositories', about: 'Screen' },
  { href: '/app/publications', name: 'Publications', about: 'Screen' },
  { href: '/app/deliveries', name: 'Deliveries', about: 'Screen' },
  { href: '/app/settings', name: 'Settings', about: 'Screen' },
];
const maxShown = 8;

export function JumpBox(): JSX.Element | null {
  return isJumpOpen.value ? <Open /> : null;
}

function Open(): JSX.Element {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [, navigate] = useLocation();
  const found = placesFor(text);
  const at = Math.min(chosen, Math.max(found.length - 1, 0));
  const close = (): void => {
    isJumpOpen.value = false;
  };
  const go = (place: Place | undefined): void => {
    if (!place) return;
    close();
    navigate(place.href);
  };
  const handleKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((at + step + found.length) % Math.max(found.length, 1));
    else if (event.key === 'Enter') go(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Jump to" onClose={close}>
      <input
        data-first
        type="text"
        role="combobox"
        aria-label="Name of a repository or a screen"
        aria-expanded="true"
        aria-controls="jump-list"
        aria-activedescendant={found.length > 0 ? `jump-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={handleKey}
      />
      <div id="jump-list" role="listbox" aria-label="Places" class="jump-list">
        {found.map((place, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the field
          <div
            key={place.href}
            id={`jump-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            onClick={() => go(place)}
          >
            <span>{place.name}</span>
            <span class="faint">{place.about}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="faint">Nothing has this name.</p>}
    </Dialog>
  );
}

function placesFor(text: string): readonly Place[] {
  const wanted = text.trim().toLowerCase();
  const all = [
    ...screens,
    ...settingsParts().map(({ id, name }) => ({ href: `/app/settings/${id}`, name, about: 'Settings' })),
    ...(repositories.value ?? []).map(({ id, fullName }) => ({
      href: `/app/repositories/${id}`,
      name: fullName,
      about: 'Repository',
    })),
  ];
  return all.filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, maxShown);
}

/** The frame of a screen: its title, its heading and its actions. The focus moves to the heading of a new screen. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { screenTitle } from '../state/title.ts';

export function Screen({
  title,
  heading,
  actions,
  above,
  below,
  isWide = false,
  group = title,
  children,
}: {
  title: string;
  /** Screens of one group differ in a tab only. The focus stays on the tabs while the group is the same. */
  group?: string;
  heading?: ComponentChildren;
  actions?: ComponentChildren;
  above?: ComponentChildren;
  below?: ComponentChildren;
  isWide?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const element = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Tidings`;
    screenTitle.value = title;
  }, [title]);
  useEffect(() => {
    // The first screen leaves the focus where the browser has it, so that the skip link is the first stop.
    if (lastGroup === group) document.querySelector<HTMLElement>('.tabs [aria-current]')?.focus();
    else if (lastGroup !== undefined) element.current?.focus();
    lastGroup = group;
  }, [group]);
  return (
    <main id="main" class={isWide ? 'screen wide' : 'screen'} tabIndex={-1}>
      {above}
      <header class="screen-head">
        <div>
          <h1 ref={element} tabIndex={-1}>
            {heading ?? title}
          </h1>
          {below}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </main>
  );
}

let lastGroup: string | undefined;

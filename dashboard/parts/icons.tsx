/** Draws the icons. Each icon is beside a text, so screen readers skip it. */
import type { JSX } from 'preact';

const paths = {
  inbox: 'M2.5 9.5h3l1 2h3l1-2h3M2.5 9.5v3a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-3l-2-6.3a1 1 0 0 0-1-.7h-5a1 1 0 0 0-1 .7z',
  repository: 'M4.5 2.5h8v11h-8a1.5 1.5 0 0 1-1.5-1.5V4a1.5 1.5 0 0 1 1.5-1.5zM3 12a1.5 1.5 0 0 1 1.5-1.5h8',
  publication: 'M2.5 6.5v3h2l5.5 3.5V3L4.5 6.5zM12.5 6v4M4.5 9.5l1 4h1.5l-.8-3',
  delivery: 'M8 2.5v8M4.8 7.3 8 10.5l3.2-3.2M2.5 11v2.5h11V11',
  statistics: 'M2.5 13.5h11M4.5 11V8M8 11V3.5M11.5 11V6',
  settings:
    'M2.5 4.5h6M12 4.5h1.5M2.5 11.5H4M7.5 11.5h6M8.5 4.5a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0-3.5 0M4 11.5a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0-3.5 0',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3l3.2 3.2',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3M8 11.4v.2',
  cross: 'm4 4 8 8M12 4l-8 8',
  dot: 'M8 6a2 2 0 1 0 0 4a2 2 0 1 0 0-4',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3.3l2.2 1.3',
  outside: 'M6 3.5H3.5v9h9V10M9 2.5h4.5V7M13.5 2.5 7.5 8.5',
  bold: 'M4.5 3h4a2.3 2.3 0 0 1 0 4.7h-4zM4.5 7.7h4.6a2.6 2.6 0 0 1 0 5.3H4.5z',
  italic: 'M7 3h5M4 13h5M9.7 3 6.3 13',
  code: 'm5.5 4.5-3.5 3.5 3.5 3.5M10.5 4.5l3.5 3.5-3.5 3.5',
  link: 'M6.8 9.2a2.5 2.5 0 0 0 3.6 0l2.3-2.3a2.5 2.5 0 1 0-3.6-3.6l-.9.9M9.2 6.8a2.5 2.5 0 0 0-3.6 0L3.3 9.1a2.5 2.5 0 1 0 3.6 3.6l.9-.9',
  list: 'M6 4h7.5M6 8h7.5M6 12h7.5M2.8 4h.2M2.8 8h.2M2.8 12h.2',
  heading: 'M3.5 3v10M12.5 3v10M3.5 8h9',
  history: 'M2.8 5.5A5.6 5.6 0 1 1 2.5 9M2.5 2.8v3h3M8 5v3.3l2 1.2',
  up: 'M8 13V3.5M3.8 7.7 8 3.5l4.2 4.2',
  down: 'M8 3v9.5M3.8 8.3 8 12.5l4.2-4.2',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  person: 'M8 2.5a2.7 2.7 0 1 0 0 5.4a2.7 2.7 0 1 0 0-5.4M2.8 13.5c.5-2.6 2.5-4 5.2-4s4.7 1.4 5.2 4',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}

/** The sign of the product. */
export function Sign(): JSX.Element {
  return (
    <svg class="sign" viewBox="0 0 16 16" width="24" height="24" aria-hidden="true" focusable="false">
      <rect width="16" height="16" rx="4" />
      <path d="M4 5h8M8 5v7" fill="none" stroke-width="2" stroke-linecap="round" />
    </svg>
  );
}

/** Shows states: errors, empty lists, data that is still loading, and short states in pills. */
import type { ComponentChildren, JSX } from 'preact';
import { TidingsError } from '../../sdk/index.ts';
import type { Loaded } from '../state/load.ts';
import { Icon, type IconName } from './icons.tsx';

/** Shows what went wrong, what to do next, and the id under which the service logs the request. */
export function ErrorBox({ error, again }: { error: Error; again?: (() => void) | undefined }): JSX.Element {
  return (
    <div class="box bad" role="alert">
      <Icon name="warning" />
      <div>
        <p>{withoutDetails(errorText(error), error)}</p>
        {error instanceof TidingsError && <Details error={error} />}
        {again && (
          <button type="button" class="small" onClick={again}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

/** Messages of the service repeat the details, which are listed below the message. */
function withoutDetails(text: string, error: Error): string {
  if (!(error instanceof TidingsError)) return text;
  const details = Object.entries(error.details).map(([field, expected]) => `${field}: ${expected}`);
  return text.replace(details.join('; '), '').trim();
}

function Details({ error }: { error: TidingsError }): JSX.Element {
  const details = Object.entries(error.details);
  return (
    <>
      {details.length > 0 && (
        <ul>
          {details.map(([field, text]) => (
            <li key={field}>
              <code>{field}</code>: {text}
            </li>
          ))}
        </ul>
      )}
      {error.requestId !== undefined && (
        <p class="faint">
          Request <code>{error.requestId}</code>
        </p>
      )}
    </>
  );
}

/** Describes an error in one or two sentences. */
export function errorText(error: Error): string {
  if (error instanceof TidingsError) {
    const wait = error.status === 429 ? ` Try again in ${error.meta.retryAfter ?? 60} seconds.` : '';
    return error.message + wait;
  }
  return 'The service does not answer. Check the connection, then try again.';
}

/** Says that there is nothing, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Grey lines in the place of data. They are visible only after 200 ms. */
export function Skeleton({ lines = 6 }: { lines?: number }): JSX.Element {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">Loading</span>
      {Array.from({ length: lines }, (_, i) => (
        <div key={i} />
      ))}
    </div>
  );
}

/** Shows loaded data, or the state of the loading. */
export function Shown<T>({
  of,
  lines,
  children,
}: {
  of: Loaded<T>;
  lines?: number;
  children: (data: T) => ComponentChildren;
}): JSX.Element {
  const { data, error, reload } = of;
  return (
    <>
      {error && <ErrorBox error={error} again={reload} />}
      {data === undefined ? !error && <Skeleton {...(lines !== undefined && { lines })} /> : children(data)}
    </>
  );
}

export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'plain';

const icons: Readonly<Record<Tone, IconName>> = {
  good: 'check',
  busy: 'clock',
  warn: 'warning',
  bad: 'cross',
  plain: 'dot',
};

/** A short state. An icon and words say the same as its color. */
export function Pill({
  tone,
  children,
  title,
}: {
  tone: Tone;
  children: ComponentChildren;
  title?: string;
}): JSX.Element {
  return (
    <span class={`pill ${tone}`} title={title}>
      <Icon name={icons[tone]} />
      {children}
    </span>
  );
}

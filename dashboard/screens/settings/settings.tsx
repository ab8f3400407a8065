/** The settings of the service and of its organizations. The part is in the address, and is loaded when it opens. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Empty } from '../../parts/feedback.tsx';
import { late } from '../../parts/late.tsx';
import { Screen } from '../../parts/screen.tsx';
import { settingsParts } from '../../state/settings-parts.ts';

const shown: Readonly<Record<string, (props: object) => JSX.Element>> = {
  keys: late(async () => (await import('./keys.tsx')).Keys),
  organization: late(async () => (await import('./organization.tsx')).OrganizationSettings),
  channels: late(async () => (await import('./channels.tsx')).Channels),
  endpoints: late(async () => (await import('./endpoints.tsx')).Endpoints),
  secrets: late(async () => (await import('./secrets.tsx')).WebhookSecrets),
  hosts: late(async () => (await import('./hosts.tsx')).Hosts),
  retention: late(async () => (await import('./retention.tsx')).Retention),
  about: late(async () => (await import('./about.tsx')).About),
};

/** @param part the part in the address; without it, the first part that the key may see */
export function Settings({ part }: { part: string | undefined }): JSX.Element {
  const parts = settingsParts();
  const open = part ?? parts[0]?.id;
  const found = parts.find(({ id }) => id === open);
  const Part = found && shown[found.id];
  const tabs = useRef<HTMLElement>(null);
  // On a phone, only some of the tabs are visible at a time.
  useEffect(() => {
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [open]);
  return (
    <Screen title={found ? `Settings: ${found.name}` : 'Settings'} heading="Settings" group="Settings">
      <nav class="tabs" aria-label="Settings" ref={tabs}>
        {parts.map(({ id, name }) => (
          <Link key={id} href={`/app/settings/${id}`} aria-current={id === open ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      {Part ? (
        <Part />
      ) : (
        <Empty title="These settings do not exist, or your key may not see them.">
          <p>Choose another part above, or sign in with a key that has more rights.</p>
        </Empty>
      )}
    </Screen>
  );
}

/** The settings of the service that a person changes in the browser: API keys, and the hosts with their credentials. */
import type { JSX } from 'preact';
import { late } from '../../parts/late.tsx';
import { Screen } from '../../parts/screen.tsx';
import { session } from '../../state/session.ts';

const Keys = late(async () => (await import('./keys.tsx')).Keys);
const Hosts = late(async () => (await import('./hosts.tsx')).Hosts);

export function Settings(): JSX.Element {
  const isInstance = typeof session.value !== 'string' && session.value.key.orgId === null;
  return (
    <Screen title="Settings">
      <Keys />
      {isInstance && <Hosts />}
    </Screen>
  );
}

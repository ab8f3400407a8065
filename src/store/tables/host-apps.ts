/**
 * Apps of hosts that were created from a manifest, at most one per host, and the states that were used up. The private
 * keys are stored sealed. Apps of the settings are not stored here.
 */
import type { Host } from '../../../config/hosts.ts';
import type { HostAppRecord, UnusedReason } from '../../protocol/host-apps.ts';
import type { Partition } from '../partition.ts';

/** Returns the stored app of a host. */
export function readHostApp(partition: Partition, origin: string): HostAppRecord | undefined {
  // A store of an earlier version of Tidings has no table until its owner opens it.
  return partition.tables.hostApps?.get(origin);
}

/** Returns the stored app of a host if it is in force. An app of the settings has priority. */
export function appInForce(
  partition: Partition,
  { origin, kind, app }: Pick<Host, 'origin' | 'kind' | 'app'>,
): HostAppRecord | undefined {
  return app === undefined && kind === 'github' ? readHostApp(partition, origin) : undefined;
}

/**
 * Returns the stored apps that are not used, and why. An app that the settings have too is used.
 * @param hosts the hosts of the settings
 */
export function unusedApps(
  partition: Partition,
  hosts: readonly Pick<Host, 'origin' | 'kind' | 'app'>[],
): { app: HostAppRecord; reason: UnusedReason }[] {
  return listHostApps(partition).flatMap((app) => {
    const reason = whyUnused(
      app,
      hosts.find(({ origin }) => origin === app.origin),
    );
    return reason ? [{ app, reason }] : [];
  });
}

/** Returns the ids of the webhook secrets of stored apps that are not used. These secrets verify no deliveries. */
export function unusedSecrets(...stored: Parameters<typeof unusedApps>): ReadonlySet<string> {
  return new Set(unusedApps(...stored).map(({ app }) => app.secretId));
}

function whyUnused({ appId }: HostAppRecord, host: Pick<Host, 'kind' | 'app'> | undefined): UnusedReason | undefined {
  if (!host) return 'unknown_host';
  if (host.kind !== 'github') return 'other_kind';
  return host.app !== undefined && host.app.id !== appId ? 'other_app' : undefined;
}

export function listHostApps(partition: Partition): HostAppRecord[] {
  return [...(partition.tables.hostApps?.getRange({}) ?? [])].map((row) => row.value as HostAppRecord);
}

export function writeHostApp(partition: Partition, app: HostAppRecord): void {
  partition.tables.hostApps.putSync(app.origin, app);
}

export function removeHostApp(partition: Partition, { origin }: HostAppRecord): void {
  partition.tables.hostApps.removeSync(origin);
}

/** Whether a state was used up. */
export function isAppStateUsed(partition: Partition, stateId: string): boolean {
  return partition.tables.hostAppStates.get(stateId) !== undefined;
}

/** Notes that a state was used up. The row is needed until the state expires. */
export function writeAppState(partition: Partition, stateId: string, until: number): void {
  partition.tables.hostAppStates.putSync(stateId, until);
}

/** Removes the states that have expired at `time` (milliseconds). */
export function removeAppStatesBefore(partition: Partition, time: number): void {
  const { hostAppStates } = partition.tables;
  for (const { key, value } of [...hostAppStates.getRange({})]) if (value <= time) hostAppStates.removeSync(key);
}

/** Returns the page on which people install an app for their repositories. */
export function installUrlOf({ url }: Pick<HostAppRecord, 'url'>): string {
  return `${url}/installations/new`;
}

/** Returns a stored app as API replies contain it: everything but its secrets. */
export function hostAppResponse(app: HostAppRecord): Record<string, unknown> {
  const { origin, appId, slug, name, url, secretId, createdAt } = app;
  const installUrl = installUrlOf(app);
  return { origin, id: appId, slug, name, url, installUrl, secretId, createdAt: new Date(createdAt).toISOString() };
}

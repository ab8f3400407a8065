/**
 * Combines the hosts of the settings with the apps that are stored in the directory partition. An app that is stored or
 * removed counts from the next request to its host on.
 */
import { type Host, hostsOf } from '../../config/hosts.ts';
import type { Settings } from '../../config/schema.ts';
import type { Logger } from '../foundation/logger.ts';
import { sealsUnreadable } from '../foundation/metrics.ts';
import type { Sealer } from '../foundation/seal.ts';
import { type HostAppRecord, hostAppSealedFor } from '../protocol/host-apps.ts';
import type { Partition } from './partition.ts';
import { appInForce } from './tables/host-apps.ts';

/** What is needed to read and open stored apps. */
export interface StoredApps {
  settings: Settings;
  /** Returns the directory partition in its current state; undefined while it cannot be read. */
  directory: () => Partition | undefined;
  sealer: Sealer;
  logger: Logger;
}

/** Returns the hosts of the settings. Each read of `app` returns the app that is in force at that moment. */
export function hostsWithApps({ settings, directory, sealer, logger }: StoredApps): readonly Host[] {
  return hostsOf(settings).map((host) => {
    if (host.kind !== 'github' || host.app !== undefined) return host;
    let opened: { sealed: string; app: Host['app'] } | undefined;
    const open = (stored: HostAppRecord): Host['app'] => {
      try {
        return { id: stored.appId, key: sealer.open(stored.sealed, hostAppSealedFor(stored)) };
      } catch (error) {
        const { message: reason } = error as Error;
        sealsUnreadable.inc();
        logger.error(
          { host: host.origin, reason },
          'the current sealing key cannot decrypt the private key of an app. Restore the former sealing key, or remove the app and create it again',
        );
        return undefined;
      }
    };
    return {
      ...host,
      get app() {
        const partition = directory();
        const stored = partition && appInForce(partition, host);
        if (!stored) opened = undefined;
        else if (opened?.sealed !== stored.sealed) opened = { sealed: stored.sealed, app: open(stored) };
        return opened?.app;
      },
    };
  });
}

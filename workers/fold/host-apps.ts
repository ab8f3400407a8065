/**
 * Folds the commands that write apps of hosts. The secrets of an app arrive sealed and stay sealed. The webhook secret
 * of an app is stored like any other webhook secret of its host.
 */
import { invalid, ServiceError } from '../../src/foundation/errors.ts';
import type { CommandResult, DirectoryCommand } from '../../src/protocol/commands.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  hostAppResponse,
  isAppStateUsed,
  readHostApp,
  removeAppStatesBefore,
  removeHostApp,
  writeAppState,
  writeHostApp,
} from '../../src/store/tables/host-apps.ts';
import { readWebhookSecret, removeWebhookSecret } from '../../src/store/tables/webhook-secrets.ts';
import { missing, refused } from './refusals.ts';
import { createWebhookSecret } from './webhook-secrets.ts';

type Named<Name extends DirectoryCommand['name']> = Extract<DirectoryCommand, { name: Name }>;

/** Uses up a state. Of two concurrent requests with one state, only the first one continues. */
export function takeAppState(
  partition: Partition,
  { stateId, until }: Named<'takeAppState'>,
  at: number,
): CommandResult {
  removeAppStatesBefore(partition, at);
  if (until <= at) return refused(invalid({ state: 'expected a state that has not expired. Begin again' }));
  if (isAppStateUsed(partition, stateId))
    return refused(
      invalid({
        state:
          'expected a state that was not used before. If the app is on the host but not in GET /api/hosts, delete it on the host. Begin again',
      }),
    );
  writeAppState(partition, stateId, until);
  return { ok: true, value: {} };
}

/** Stores an app and its webhook secret. A host has at most one stored app. */
export function createHostApp(
  partition: Partition,
  { app, secret }: Named<'createHostApp'>,
  at: number,
): CommandResult {
  const before = readHostApp(partition, app.origin);
  if (before) {
    const message = `${before.origin} already has the app ${before.name}. The app ${app.name} was not stored: delete it on the host.`;
    return refused(new ServiceError('conflict', message));
  }
  const result = createWebhookSecret(partition, { name: 'createWebhookSecret', secret }, at);
  if (!result.ok) return result;
  const made = { ...app, createdAt: at };
  writeHostApp(partition, made);
  return { ok: true, value: hostAppResponse(made) };
}

/** Removes the app of a host and its webhook secret, which can have been revoked before. */
export function deleteHostApp(partition: Partition, { origin }: Named<'removeHostApp'>, at: number): CommandResult {
  const app = readHostApp(partition, origin);
  if (!app) return missing('App of the host', origin);
  const secret = readWebhookSecret(partition, app.secretId);
  if (secret) removeWebhookSecret(partition, secret);
  removeHostApp(partition, app);
  const { appId: id, name, url, secretId } = app;
  return { ok: true, value: { origin, id, name, url, secretId, removedAt: new Date(at).toISOString() } };
}

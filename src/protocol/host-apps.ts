/**
 * Shapes of apps that were created from a manifest: the stored app, the commands that write it, and the question with
 * which the gateway asks a worker for the exchange of a code. All secrets in these shapes are sealed.
 */
import { type Static, Type } from '@sinclair/typebox';

/** How long a state is accepted, in milliseconds. The code of a host expires after the same time. */
export const appStateMs = 3_600_000;

/**
 * An app of a host. `sealed` is its private key in sealed form. `secretId` is the webhook secret of the app, which is
 * stored like all webhook secrets of the host.
 */
export const HostAppRecordSchema = Type.Object({
  origin: Type.String({ description: 'web address of the host' }),
  /** Number of the app on its host. */
  appId: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  /** Page of the app on its host. */
  url: Type.String(),
  sealed: Type.String(),
  secretId: Type.String(),
  createdAt: Type.Integer(),
});
export type HostAppRecord = Static<typeof HostAppRecordSchema>;

/** Why a stored app is not used: the settings have another app for its host, another kind of host, or no such host. */
export const unusedReasons = ['other_app', 'other_kind', 'unknown_host'] as const;
export type UnusedReason = (typeof unusedReasons)[number];

/** Returns the values with which the private key of an app is sealed. */
export function hostAppSealedFor({ origin, appId }: Pick<HostAppRecord, 'origin' | 'appId'>): string[] {
  return ['host app', origin, appId];
}

/** Returns the values with which a code is sealed on its way to the worker that exchanges it. */
export function manifestCodeSealedFor(stateId: string): string[] {
  return ['app manifest code', stateId];
}

/** Asks the worker of the directory partition to exchange the code of a host for the app that the host has made. */
export interface ConvertManifestTask {
  task: 'convertManifest';
  origin: string;
  stateId: string;
  sealedCode: string;
  /** Id of the webhook secret that is stored for the app. The secret is sealed for this id. */
  secretId: string;
}

/** The app that a host has made. */
export interface ConvertedApp extends Pick<HostAppRecord, 'appId' | 'slug' | 'name' | 'url' | 'sealed'> {
  sealedSecret: string;
}

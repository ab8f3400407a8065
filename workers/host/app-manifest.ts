/** Exchanges the code of an app manifest with its host, and seals the secrets of the app before anything leaves. */
import { type Host, hostAt } from '../../config/hosts.ts';
import { invalid } from '../../src/foundation/errors.ts';
import type { Sealer } from '../../src/foundation/seal.ts';
import { convertManifest } from '../../src/host/app-manifest.ts';
import {
  type ConvertedApp,
  type ConvertManifestTask,
  hostAppSealedFor,
  manifestCodeSealedFor,
} from '../../src/protocol/host-apps.ts';
import { sealedFor } from '../../src/store/tables/webhook-secrets.ts';

/**
 * Exchanges a code. The secret of the app's OAuth client is dropped, because the service does not use it.
 * @throws ServiceError `invalid` or `conflict`, see `convertManifest`
 */
export async function convertApp(
  { hosts, sealer }: { hosts: readonly Host[]; sealer: Sealer },
  { origin, stateId, sealedCode, secretId }: ConvertManifestTask,
  timeoutMs: number,
): Promise<ConvertedApp> {
  const host = hostAt(hosts, origin);
  if (!host) throw invalid({ origin: `expected a host of the settings, got ${JSON.stringify(origin)}` });
  const code = sealer.open(sealedCode, manifestCodeSealedFor(stateId));
  const { id: appId, slug, name, url, key, webhookSecret } = await convertManifest(host, code, timeoutMs);
  const sealed = sealer.seal(key, hostAppSealedFor({ origin, appId }));
  const sealedSecret = sealer.seal(webhookSecret, sealedFor({ id: secretId, origin, orgId: null }));
  return { appId, slug, name, url, sealed, sealedSecret };
}

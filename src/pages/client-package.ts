/**
 * `GET /sdk/tidings-client.tgz`: the client of `sdk/` as a package, made by the build. It installs without a registry:
 * `npm install http://127.0.0.1:8080/sdk/tidings-client.tgz`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { Asset } from '../http/asset.ts';
import type { HttpRoute } from '../http/server.ts';

const builtPackage = new URL('../../client/tidings-client.tgz', import.meta.url);

/** The route of the package; none where the build has not made it, as `npm run dev` does not. */
export function clientPackageRoutes(): HttpRoute[] {
  if (!existsSync(builtPackage)) return [];
  const asset = new Asset('application/gzip', readFileSync(builtPackage), ['X-Content-Type-Options', 'nosniff']);
  return [asset.route('/sdk/tidings-client.tgz')];
}

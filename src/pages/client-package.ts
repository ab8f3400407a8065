/**
 * Serves `GET /sdk/tidings-client.tgz`: the client in `sdk/` as an npm package. The build makes the package. It can be
 * installed without a registry: `npm install http://127.0.0.1:8080/sdk/tidings-client.tgz`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { Asset } from '../http/asset.ts';
import type { HttpRoute } from '../http/server.ts';

const builtPackage = new URL('../../client/tidings-client.tgz', import.meta.url);

/** Returns the route of the package; an empty list if the build has not made the package, as with `npm run dev`. */
export function clientPackageRoutes(): HttpRoute[] {
  if (!existsSync(builtPackage)) return [];
  const asset = new Asset('application/gzip', readFileSync(builtPackage), ['X-Content-Type-Options', 'nosniff']);
  return [asset.route('/sdk/tidings-client.tgz')];
}

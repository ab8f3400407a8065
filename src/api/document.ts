/**
 * `GET /api/openapi.json`: the document, made once, compressed, with a strong ETag. It takes no key, as it tells nothing of anybody.
 */
import { Asset } from '../http/asset.ts';
import type { HttpRoute } from '../http/server.ts';
import type { ApiRoute } from './handle.ts';
import { openApiDocument } from './openapi.ts';

/**
 * The route of the document.
 * @param publicUrl address of the service for its clients; empty = the address that the document is read from
 */
export function documentRoute(routes: readonly ApiRoute<never>[], publicUrl = ''): HttpRoute {
  const json = JSON.stringify(openApiDocument(routes, publicUrl.replace(/\/+$/, '')));
  return new Asset('application/json', json).route('/api/openapi.json');
}

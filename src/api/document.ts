/**
 * Serves the OpenAPI document at `GET /api/openapi.json`. The document is made and compressed once, and has a strong
 * ETag. A request for the document needs no API key, because the document contains no data of any organization.
 */
import { Asset } from '../http/asset.ts';
import type { HttpRoute } from '../http/server.ts';
import { openApiDocument } from './openapi.ts';
import type { ApiRoute } from './route.ts';

/**
 * Makes the route of the OpenAPI document.
 * @param publicUrl address of the service for its clients. If it is empty, the document refers to the address from
 *   which it was downloaded.
 */
export function documentRoute(routes: readonly ApiRoute<never>[], publicUrl = ''): HttpRoute {
  const json = JSON.stringify(openApiDocument(routes, publicUrl.replace(/\/+$/, '')));
  return new Asset('application/json', json).route('/api/openapi.json');
}

/**
 * Serves `GET /healthz` on both ports. Any reply shows that the process runs. Its body contains the version of Tidings.
 */

import { version } from '../foundation/version.ts';
import type { HttpRoute } from './server.ts';

/** Path of the health check on the API port and on the operations port. */
export const healthPath = '/healthz';

/** The body of the reply to a health check. The status of the reply is always 200. */
export const health = { status: 'ok', version } as const;

/**
 * The health check on the API port: whether the gateway runs. `/readyz` on the operations port reports whether every
 * part of the service is ready.
 */
export const healthRoute: HttpRoute = {
  method: 'GET',
  path: healthPath,
  handle: (exchange) => exchange.reply(200, 'application/json', JSON.stringify(health), ['Cache-Control', 'no-store']),
};

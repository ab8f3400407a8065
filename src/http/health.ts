/**
 * `GET /healthz`, on both ports: the process that answers lives, and of which version it is.
 */

import { version } from '../foundation/version.ts';
import type { HttpRoute } from './server.ts';

/** Path of the check on both ports. */
export const healthPath = '/healthz';

/** What the check replies, always with 200. */
export const health = { status: 'ok', version } as const;

/** The check of the API port: the gateway lives. `/readyz` of the operations port says whether everything is up. */
export const healthRoute: HttpRoute = {
  method: 'GET',
  path: healthPath,
  handle: (exchange) => exchange.reply(200, 'application/json', JSON.stringify(health), ['Cache-Control', 'no-store']),
};

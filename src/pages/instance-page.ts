/**
 * A page by which `tidings doctor` and a start recognise this very process behind a public URL: it shows a random text that the
 * process makes for itself. It needs no key and tells nothing else.
 */
import { randomUUID } from 'node:crypto';
import type { HttpRoute } from '../http/server.ts';

/** Below /api/, as every proxy forwards the receiver that is there. */
export const instancePath = '/api/instance';

/** Random text of this process. */
export const instanceMark = randomUUID();

/** The route of the page. */
export function instanceRoute(): HttpRoute {
  const body = { service: 'tidings', mark: instanceMark };
  return {
    method: 'GET',
    path: instancePath,
    handle: (exchange) => exchange.json(200, body, ['Cache-Control', 'no-store']),
  };
}

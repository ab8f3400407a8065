/**
 * Serves `GET /api/instance`, which returns a random text that identifies this process. `tidings doctor` compares this
 * text with the text that the gateway itself reports, to check that the public URL leads to this process. The request
 * needs no API key, and the reply contains nothing else.
 */
import { randomUUID } from 'node:crypto';
import type { HttpRoute } from '../http/server.ts';

/**
 * Path of the page. The path begins with `/api/`, like the path of the webhook receiver. Every proxy forwards this
 * prefix to the service.
 */
export const instancePath = '/api/instance';

/** Random text that identifies this process. */
export const instanceMark = randomUUID();

/** Returns the route of the page. */
export function instanceRoute(): HttpRoute {
  const body = { service: 'tidings', mark: instanceMark };
  return {
    method: 'GET',
    path: instancePath,
    handle: (exchange) => exchange.json(200, body, ['Cache-Control', 'no-store']),
  };
}

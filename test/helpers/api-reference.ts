/** Starts a server that serves the API reference and the guide. */
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { documentRoute } from '../../src/api/document.ts';
import { apiRoutes } from '../../src/api/routes.ts';
import { type HttpRoute, startServer } from '../../src/http/server.ts';
import { docsRoutes } from '../../src/pages/docs-page.ts';
import { guideRoutes } from '../../src/pages/guide-page.ts';
import { style } from '../../src/pages/style.ts';
import { afterwards } from './cleanup.ts';

/** Starts the server. It stops with the test. Returns its address. */
export async function startReference(t: TestContext): Promise<string> {
  const stylesheet: HttpRoute = {
    method: 'GET',
    path: '/notes/style.css',
    handle: (exchange) => exchange.reply(200, 'text/css; charset=utf-8', style),
  };
  const routes = [...docsRoutes(), ...guideRoutes(), documentRoute(apiRoutes), stylesheet];
  const server = await startServer('127.0.0.1', 0, routes, pino({ level: 'silent' }));
  afterwards(t, () => server.stop(1000));
  return `http://127.0.0.1:${server.port}`;
}

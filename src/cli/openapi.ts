/**
 * `tidings openapi`: prints the API's OpenAPI document, the same as `GET /api/openapi.json`. The service need not be
 * running.
 */
import { openApiDocument } from '../api/openapi.ts';
import { apiRoutes } from '../api/routes.ts';
import { printText } from './print.ts';
import type { openApiEntry } from './table/operation.ts';
import type { Run } from './usage.ts';

export const runOpenApi: Run<typeof openApiEntry> = async () => {
  printText(JSON.stringify(openApiDocument(apiRoutes), null, 2));
  return 0;
};

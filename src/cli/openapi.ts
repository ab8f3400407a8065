/**
 * `tidings openapi`: prints the API's OpenAPI document, the same as `GET /api/openapi.json`. The service need not be
 * running.
 */
import { openApiDocument } from '../api/openapi.ts';
import { apiRoutes } from '../api/routes.ts';
import { printText } from './print.ts';
import { type CliCommand, single } from './usage.ts';

export const openApiCommand: CliCommand = single({
  help: 'Prints the OpenAPI document of the API',
  examples: ['openapi > openapi.json'],
  run: async () => {
    printText(JSON.stringify(openApiDocument(apiRoutes), null, 2));
    return 0;
  },
});

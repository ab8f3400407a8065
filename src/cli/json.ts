/**
 * Implements `--json` of commands that list something. The output is the API's reply to a request that asks for all
 * items on one page. The request is made with an instance key, unless the command names an organization.
 */
import type { ApiContext } from '../api/context.ts';
import type { ApiRoute } from '../api/route.ts';
import { type Call, call } from './api.ts';
import { printText } from './print.ts';

/**
 * Prints the reply of a list operation, with all its items.
 * @param routes the routes that contain the operation
 * @param operation name of an API operation, such as `listKeys`
 */
export async function printReply(
  context: ApiContext,
  routes: readonly ApiRoute<never>[],
  operation: string,
  wanted: Call = {},
): Promise<number> {
  return printJson(await call(context, routes, operation, wanted));
}

/** Prints a value as formatted JSON. Returns the exit code 0. */
export function printJson(value: object): number {
  printText(JSON.stringify(value, null, 2));
  return 0;
}

/**
 * Implements `--json` of commands that list something. The output is the API's reply to a request that asks for all
 * items on one page. The request is made with an instance key, unless the command names an organization.
 */
import { type ApiContext, readPartition } from '../api/context.ts';
import type { ApiRequest, ApiRoute } from '../api/route.ts';
import { apiRoutes } from '../api/routes.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { printText } from './print.ts';

/**
 * Declares the option `--json`.
 * @param reply text that describes the output in the help, such as `the reply of GET /api/keys`
 */
export function jsonOption(reply: string) {
  return { json: { help: `Prints JSON: ${reply}` } };
}

/** The parameters of the request whose reply is printed. */
interface Wanted {
  /**
   * Organization of the key that makes the request. Without this field, or with null, an instance key makes the
   * request.
   */
  orgId?: string | null;
  query?: Record<string, string>;
  params?: readonly string[];
}

/**
 * Prints the reply of a list operation, with all its items.
 * @param operation name of an API operation, such as `listKeys`
 */
export async function printReply(
  context: ApiContext,
  operation: string,
  { orgId = null, query = {}, params = [] }: Wanted = {},
): Promise<number> {
  const route = apiRoutes.find((each) => each.operation === operation) as ApiRoute<never>;
  const directory = readPartition(context, directoryName);
  const caller = { key: { orgId, scopes: ['*'] }, expiresAt: null, isTest: false, maySee: () => true };
  const paging = 'limit' in route.query.properties ? { limit: Number.MAX_SAFE_INTEGER } : {};
  const request = { context, directory, caller, params, query: { ...paging, ...query }, body: undefined, test: false };
  const { body } = await route.handle(request as unknown as ApiRequest<never>);
  return printJson(body);
}

/** Prints a value as formatted JSON. Returns the exit code 0. */
export function printJson(value: object): number {
  printText(JSON.stringify(value, null, 2));
  return 0;
}

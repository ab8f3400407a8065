/**
 * `--json` of commands that list something: what the API replies to the instance's administrator, all items on one page.
 */
import { type ApiContext, readPartition } from '../api/context.ts';
import type { ApiRequest, ApiRoute } from '../api/handle.ts';
import { apiRoutes } from '../api/routes.ts';
import { directoryName } from '../journal/subjects.ts';
import { printText } from './print.ts';

/**
 * The option `--json`.
 * @param reply what it prints, such as `the reply of GET /api/keys`
 */
export function jsonOption(reply: string) {
  return { json: { help: `Prints JSON: ${reply}` } };
}

/** Where the reply comes from, as a request names it. */
interface Wanted {
  /** Organisation of the key that asks; unset = a key of the instance. */
  orgId?: string | null;
  query?: Record<string, string>;
  params?: readonly string[];
}

/**
 * Prints the reply of a list operation, with all its items.
 * @param operation of the API, such as `listKeys`
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

/** Prints a value as formatted JSON. */
export function printJson(value: object): number {
  printText(JSON.stringify(value, null, 2));
  return 0;
}

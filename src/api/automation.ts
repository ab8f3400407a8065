/**
 * Handles the automation rule of a repository: get, put and remove. A rule makes drafts and publications without a
 * request, so the key that sets it needs the scopes of everything that the rule does.
 */
import { type ErrorDetails, invalid, ServiceError } from '../foundation/errors.ts';
import { digestOf, toEtag } from '../foundation/etag.ts';
import type { AutomationRule, OnTag } from '../protocol/automation.ts';
import type { Scope } from '../protocol/commands.ts';
import { type AutomationParts, AutomationPartsSchema, automationContracts } from '../protocol/resources/automation.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import { automationDigest, automationResponse, newestRuns, readAutomation } from '../store/tables/automations.ts';
import { readHead } from '../store/tables/branch-heads.ts';
import { readRepository } from '../store/tables/repositories.ts';
import { assertVisible, type Caller, mayUse } from './authenticate.ts';
import { readIfMatch } from './conditional.ts';
import { type ApiContext, incarnationFor, partitionOfId, readPartition, runCommand } from './context.ts';
import type { ApiReply, ApiRoute } from './route.ts';
import { check, shown, withDefaults } from './validate.ts';

/** Maximum number of runs in a reply. */
const maxRuns = 20;

const getAutomation: ApiRoute = {
  method: 'GET',
  path: '/api/repos/:repoId/automation',
  operation: 'getRepositoryAutomation',
  contract: automationContracts.getRepositoryAutomation,
  scope: 'repos:read',
  query: NoQuerySchema,
  handle: ({ caller, context, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    return replyOf(context, repoId);
  },
};

const putAutomation: ApiRoute = {
  method: 'PUT',
  path: '/api/repos/:repoId/automation',
  operation: 'putRepositoryAutomation',
  contract: automationContracts.putRepositoryAutomation,
  scope: 'repos:write',
  query: NoQuerySchema,
  checkBody: toRule,
  handle: async ({ body, caller, context, headers, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const ifMatch = readIfMatch(headers['if-match']);
    const rule = toRule(body);
    assertMaySet(caller, rule);
    await setAutomation(context, repoId, rule, ifMatch);
    return replyOf(context, repoId);
  },
};

const removeAutomation: ApiRoute = {
  method: 'DELETE',
  path: '/api/repos/:repoId/automation',
  operation: 'removeRepositoryAutomation',
  contract: automationContracts.removeRepositoryAutomation,
  scope: 'repos:write',
  query: NoQuerySchema,
  handle: async ({ caller, context, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    await setAutomation(context, repoId, toRule({}));
    return replyOf(context, repoId);
  },
};

/**
 * Sets the rule of a repository.
 * @throws ServiceError `invalid` for a branch that is not known, `preconditionFailed` when the state is not in
 *   `ifMatch`
 */
export async function setAutomation(
  context: ApiContext,
  repoId: string,
  rule: AutomationRule,
  ifMatch?: string[],
): Promise<void> {
  const incarnation = incarnationFor(context, repoId);
  const name = partitionOfId(context, repoId) as string;
  assertBranch(context, repoId, rule);
  await runCommand(context, name, {
    name: 'putAutomation',
    repoId,
    rule,
    ...incarnation,
    ...(ifMatch && { ifMatch }),
  });
}

/** Returns the automation of a repository as replies show it. */
export function automationOf(context: ApiContext, repoId: string): Record<string, unknown> {
  const partition = readPartition(context, partitionOfId(context, repoId) as string);
  return automationResponse(readAutomation(partition, repoId), newestRuns(partition, repoId, maxRuns));
}

/** The ETag has a mark for the runs. `If-Match` ignores it: a run does not refuse a change of the rule. */
function replyOf(context: ApiContext, repoId: string): ApiReply {
  const body = automationOf(context, repoId);
  const digest = automationDigest(readPartition(context, partitionOfId(context, repoId) as string), repoId);
  const mark = Buffer.from(digestOf(JSON.stringify(body)), 'base64url')[0] as number;
  return { status: 200, body, etag: toEtag(digest, mark) };
}

/**
 * Returns the rule in a body. A part that is left out or null is off.
 * @throws ServiceError `invalid` with one detail for each bad field
 */
export function toRule(body: unknown): AutomationRule {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const parts = isObject ? Object.fromEntries(Object.entries(body).filter(([, part]) => part !== null)) : body;
  const whole = withDefaults(AutomationPartsSchema, parts);
  const { onTag = null, unreleased = null } = check<AutomationParts>(AutomationPartsSchema, whole, 'body');
  if (onTag) assertPublications(onTag);
  return { onTag, unreleased };
}

/** @throws ServiceError `invalid` for each publication that the rule cannot make */
function assertPublications({ personas, publish }: OnTag): void {
  const faults: ErrorDetails = {};
  const seen = new Set<string>();
  for (const [index, { channel, persona, draft }] of publish.entries()) {
    const field = `onTag.publish.${index}`;
    if (!personas.includes(persona))
      faults[`${field}.persona`] = `expected one of ${personas.join(', ')} (onTag.personas), got ${shown(persona)}`;
    if (draft && channel !== 'scm_releases')
      faults[`${field}.draft`] = `expected false for the channel ${channel}, got true`;
    const target = `${channel} for ${persona} readers`;
    if (seen.has(target)) faults[field] = `expected each channel and persona once, got ${target} twice`;
    seen.add(target);
  }
  if (Object.keys(faults).length > 0) throw invalid(faults, 'The body is invalid.');
}

/** @throws ServiceError `invalid` for a branch that was never pushed to */
function assertBranch(context: ApiContext, repoId: string, { unreleased }: AutomationRule): void {
  const { branch } = unreleased ?? {};
  if (branch === undefined) return;
  const partition = readPartition(context, partitionOfId(context, repoId) as string);
  const { defaultBranch = null, fullName = repoId } = readRepository(partition, repoId) ?? {};
  if (branch === defaultBranch || readHead(partition, repoId, branch)) return;
  const expected = `expected a branch of ${fullName} that was pushed to, got ${shown(branch)}`;
  throw invalid({ 'unreleased.branch': expected }, 'The body is invalid.');
}

/** @throws ServiceError `forbidden` that names the first scope that the key lacks */
function assertMaySet(caller: Caller, { onTag, unreleased }: AutomationRule): void {
  const needed: Scope[] = [
    ...(onTag || unreleased ? (['ranges:write', 'drafts:write'] as const) : []),
    ...(onTag && onTag.publish.length > 0 ? (['publish:write'] as const) : []),
  ];
  const lacking = needed.find((scope) => !mayUse(caller, scope));
  if (lacking === undefined) return;
  throw new ServiceError('forbidden', `The API key lacks the scope ${lacking}, which the rule needs.`);
}

export const automationRoutes = [getAutomation, putAutomation, removeAutomation];

/**
 * Writes the audit log. A line states who created, changed or removed an object. A line about a refused request states
 * who sent the request. The objects are keys, secrets, connections, publications, policies and tiers. A line contains
 * only ids, fixed words and web addresses of hosts, so it never contains a secret.
 */

import type { CommandRecord } from '../protocol/journal.ts';
import { channelNames } from '../protocol/names.ts';
import { slotOfId } from './ids.ts';
import type { Logger } from './logger.ts';
import { nameIn, unreachable } from './unreachable.ts';

/** The audited actions. Each action has the name of its API operation, even when the command line performs it. */
export const auditActions = [
  'createKey',
  'rotateKey',
  'revokeKey',
  'createSession',
  'endSession',
  'endSessions',
  'createSignInCode',
  'createWebhookSecret',
  'rotateWebhookSecret',
  'revokeWebhookSecret',
  'createHostApp',
  'removeHostApp',
  'createWebhookEndpoint',
  'updateWebhookEndpoint',
  'rotateWebhookEndpointSecret',
  'deleteWebhookEndpoint',
  'putChannel',
  'removeChannel',
  'publishDraft',
  'resendPublication',
  'deletePublication',
  'updateOrganisation',
  'approveRetention',
  'replayDeadLetters',
  'putRepositoryAutomation',
  'removeRepositoryAutomation',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** `unknown` means that the service got no answer in time. The action may or may not have been carried out. */
export type AuditOutcome = 'done' | 'refused' | 'unknown';

/** The objects that an action is about, such as `keyId` and `orgId`. */
export type AuditObjects = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/**
 * One line of the audit log. `by` is the id of an API key, `command line`, `automation` for the rule of a repository,
 * or `start` for the service itself.
 */
export interface AuditLine {
  action: AuditAction;
  outcome: AuditOutcome;
  by: string;
  requestId?: string;
  objects: AuditObjects;
}

/**
 * A request to write a line of the audit log. A process other than the gateway, such as the command line, sends the
 * request to the worker that owns the directory partition.
 */
export interface AuditTask {
  task: 'audit';
  line: AuditLine;
}

/** Writes the audit lines of one actor. `by` identifies this actor. */
export interface Auditor {
  readonly by: string;
  readonly requestId?: string;
  readonly write: (line: AuditLine) => void | Promise<void>;
}

/** The log message of every audit line. */
const message = 'audit';

/** Writes a line of the audit log, at log level `info`. */
export function audit(logger: Logger, { action, outcome, by, requestId, objects }: AuditLine): void {
  logger.info({ audit: true, action, outcome, by, ...(requestId !== undefined && { requestId }), objects }, message);
}

/** Returns the audit action of an API operation; undefined for an operation that is not audited. */
export function auditActionOf(operation: string): AuditAction | undefined {
  return auditActions.find((action) => action === operation);
}

/**
 * Returns the ids and the channel names in the path of a refused request. Any other part of the path may be a secret
 * and is left out.
 */
export function objectsInPath(path: string, params: readonly string[]): AuditObjects {
  const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);
  const isFixed = (text: string): boolean =>
    slotOfId(text) !== undefined || (channelNames as readonly string[]).includes(text);
  return Object.fromEntries(names.flatMap((name, i) => (isFixed(params[i] ?? '') ? [[name, params[i] ?? '']] : [])));
}

type Command = CommandRecord['command'];

/**
 * Returns the audit action and objects of a command; undefined for a command that is not audited.
 * @param value the value of the command's result, if it has one
 */
export function auditedCommand(
  partition: string,
  command: Command,
  value?: unknown,
): Pick<AuditLine, 'action' | 'objects'> | undefined {
  switch (command.name) {
    case 'createKey':
      return { action: 'createKey', objects: { keyId: command.key.id, ...ownerIn(value) } };
    case 'rotateKey':
      return {
        action: 'rotateKey',
        objects: { keyId: command.keyId, successorId: command.key.id, ...ownerIn(value) },
      };
    case 'revokeKey':
      return { action: 'revokeKey', objects: { keyId: command.keyId } };
    case 'createSession': {
      const { id: sessionId, keyId } = command.session;
      const { endedSessions = [] } = (value ?? {}) as { endedSessions?: readonly string[] };
      return {
        action: command.name,
        objects: {
          ...{ sessionId, keyId },
          ...(command.code !== undefined && { byCode: true }),
          ...(endedSessions.length > 0 && { endedSessions }),
        },
      };
    }
    case 'endSession':
      return { action: command.name, objects: { sessionId: command.sessionId } };
    case 'endSessions':
    case 'createSignInCode':
      return { action: command.name, objects: { keyId: command.keyId } };
    case 'createWebhookSecret':
      return { action: command.name, objects: { secretId: command.secret.id, orgId: command.secret.orgId } };
    case 'rotateWebhookSecret':
    case 'revokeWebhookSecret':
      return { action: command.name, objects: { secretId: command.secretId } };
    case 'createHostApp': {
      const { origin, appId } = command.app;
      return { action: command.name, objects: { origin: onlyOrigin(origin), appId, secretId: command.secret.id } };
    }
    case 'removeHostApp': {
      const { id: appId = null, secretId = null } = (value ?? {}) as { id?: string; secretId?: string };
      return { action: command.name, objects: { origin: onlyOrigin(command.origin), appId, secretId } };
    }
    case 'createWebhookEndpoint':
      return { action: command.name, objects: { endpointId: command.endpoint.id, orgId: command.endpoint.orgId } };
    case 'updateWebhookEndpoint': {
      const { name: action, endpointId, ifMatch: _, query: __, ...changes } = command;
      return { action, objects: { endpointId, fields: Object.keys(changes), ...fixedWords(changes) } };
    }
    case 'rotateWebhookEndpointSecret':
    case 'deleteWebhookEndpoint':
      return { action: command.name, objects: { endpointId: command.endpointId } };
    case 'putChannel': {
      const { channel, orgId, repoId } = command.record;
      return { action: command.name, objects: { channel, orgId, repoId } };
    }
    case 'removeChannel': {
      const { channel, orgId, repoId } = command;
      return { action: command.name, objects: { channel, orgId, repoId } };
    }
    case 'publish': {
      const { publicationId, draftId, revision, channel } = command;
      // When a person publishes the same text again, the result is the earlier publication. If the earlier publication
      // has failed, this publication is started again.
      const earlier = (value as { id?: string } | undefined)?.id ?? publicationId;
      const again = earlier !== publicationId && { again: true };
      return { action: 'publishDraft', objects: { publicationId: earlier, draftId, revision, channel, ...again } };
    }
    case 'resendPublication':
    case 'deletePublication':
      return { action: command.name, objects: { publicationId: command.publicationId } };
    case 'updateOrganisation': {
      const { name: action, orgId, ifMatch: _, ...changes } = command;
      return { action, objects: { orgId, fields: Object.keys(changes), ...fixedWords(changes) } };
    }
    case 'approveRetention':
      return { action: command.name, objects: { partition, cause: command.wait.cause } };
    case 'putAutomation': {
      const { repoId, rule } = command;
      const isOff = rule.onTag === null && rule.unreleased === null;
      const channels = [...new Set(rule.onTag?.publish.map(({ channel }) => channel))];
      return {
        action: isOff ? 'removeRepositoryAutomation' : 'putRepositoryAutomation',
        objects: { repoId, ...(!isOff && { channels }) },
      };
    }
    case 'createRange':
    case 'generateDraft':
    case 'updateDraft':
    case 'putSettings':
    case 'restoreDraft':
    case 'startBackfill':
    case 'cancelBackfill':
    case 'setTier':
    case 'setPolicy':
    case 'selectRepository':
    case 'nameOrganisation':
    case 'reseal':
    case 'takeAppState':
    case 'setIdentity':
    case 'suppress':
    case 'renewSession':
    case 'sealWebhookAddresses':
    case 'testWebhookEndpoint':
    case 'resendWebhookDelivery':
    case 'replayWebhookDeliveries':
      return undefined;
    default:
      return unreachable(command, `Unknown command: ${nameIn(command, 'name')}.`);
  }
}

/**
 * Returns an object with the `orgId` from the result of a command. `orgId` is null for an instance key. The object is
 * empty if the result contains no `orgId`.
 */
function ownerIn(value: unknown): AuditObjects {
  const { orgId } = (value ?? {}) as { orgId?: unknown };
  return typeof orgId === 'string' || orgId === null ? { orgId } : {};
}

/**
 * Returns the web address of a host; null for any other text, because that could contain a secret. Example: null for
 * `https://user:password@scm.example`.
 */
function onlyOrigin(text: string): string | null {
  return URL.canParse(text) && new URL(text).origin === text ? text : null;
}

/** Returns only the changes that cannot contain a secret: the name of a tier, and policies (true or false). */
function fixedWords(changes: Readonly<Record<string, unknown>>): AuditObjects {
  const fixed = Object.entries(changes).filter(([field, value]) => field === 'tier' || typeof value === 'boolean');
  return Object.fromEntries(fixed) as AuditObjects;
}

/**
 * Writes the audit log: who created, changed or removed keys, secrets, connections, publications, policies and tiers, or was refused.
 * A line has ids and fixed words only, so it never holds a secret.
 */

import { channelNames } from '../protocol/channels.ts';
import type { CommandRecord } from '../protocol/journal.ts';
import { slotOfId } from './ids.ts';
import type { Logger } from './logger.ts';

/** The actions that are audited. Each is the API operation of this name, also when the command line does it. */
export const auditActions = [
  'createKey',
  'rotateKey',
  'revokeKey',
  'createWebhookSecret',
  'rotateWebhookSecret',
  'revokeWebhookSecret',
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
] as const;
export type AuditAction = (typeof auditActions)[number];

/** `unknown`: the service got no answer in time, so the action may have been carried out. */
export type AuditOutcome = 'done' | 'refused' | 'unknown';

/** What an action was about, such as `keyId` and `orgId`. */
export type AuditObjects = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** One line of the audit log. `by` is the id of an API key, `command line`, or `start` for the service itself. */
export interface AuditLine {
  action: AuditAction;
  outcome: AuditOutcome;
  by: string;
  requestId?: string;
  objects: AuditObjects;
}

/** Asks the directory's owner to write a line that is not the gateway's, such as one of the command line. */
export interface AuditTask {
  task: 'audit';
  line: AuditLine;
}

/** Who acts, and where the lines about it go. */
export interface Auditor {
  readonly by: string;
  readonly requestId?: string;
  readonly write: (line: AuditLine) => void | Promise<void>;
}

/** Shown by pino beside the time, the level and the role of the process. */
const message = 'audit';

/** Writes a line of the audit log. It has the level `info`. */
export function audit(logger: Logger, { action, outcome, by, requestId, objects }: AuditLine): void {
  logger.info({ audit: true, action, outcome, by, ...(requestId !== undefined && { requestId }), objects }, message);
}

/** The action that an API operation is; undefined for one that is not audited. */
export function auditActionOf(operation: string): AuditAction | undefined {
  return auditActions.find((action) => action === operation);
}

/** The objects that the path of a refused request names. Text that is not an id is left out: it may be a secret. */
export function objectsInPath(path: string, params: readonly string[]): AuditObjects {
  const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);
  const isFixed = (text: string): boolean =>
    slotOfId(text) !== undefined || (channelNames as readonly string[]).includes(text);
  return Object.fromEntries(names.flatMap((name, i) => (isFixed(params[i] ?? '') ? [[name, params[i] ?? '']] : [])));
}

type Command = CommandRecord['command'];

/**
 * What the audit log says of a command; undefined for a command that is not audited.
 * @param value the value of its result, where there is one
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
    case 'createWebhookSecret':
      return { action: command.name, objects: { secretId: command.secret.id, orgId: command.secret.orgId } };
    case 'rotateWebhookSecret':
    case 'revokeWebhookSecret':
      return { action: command.name, objects: { secretId: command.secretId } };
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
      // Publishing the same text again answers with the earlier publication. One that had failed starts again.
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
    default:
      return undefined;
  }
}

/** The organization that a result names; null for a key of the instance. */
function ownerIn(value: unknown): AuditObjects {
  const { orgId } = (value ?? {}) as { orgId?: unknown };
  return typeof orgId === 'string' || orgId === null ? { orgId } : {};
}

/** A tier is a name of the settings, and a policy is on or off. Other values could be anything. */
function fixedWords(changes: Readonly<Record<string, unknown>>): AuditObjects {
  const fixed = Object.entries(changes).filter(([field, value]) => field === 'tier' || typeof value === 'boolean');
  return Object.fromEntries(fixed) as AuditObjects;
}

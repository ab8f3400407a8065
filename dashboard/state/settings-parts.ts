/** Lists the parts of the settings that the key of the session may see. */
import { isInstanceKey, mayUse, type Scope } from './session.ts';

interface Part {
  id: string;
  name: string;
  /** The scope that the part needs. */
  scope?: Scope;
  /** Only keys of the instance may see the part. */
  isOperators?: true;
}

const all: readonly Part[] = [
  { id: 'keys', name: 'API keys', scope: 'keys:read' },
  { id: 'organization', name: 'Organization', scope: 'orgs:read' },
  { id: 'channels', name: 'Channels', scope: 'orgs:read' },
  { id: 'endpoints', name: 'Endpoints', scope: 'webhooks:read' },
  { id: 'secrets', name: 'Webhook secrets', scope: 'webhooks:read' },
  { id: 'hosts', name: 'Hosts', scope: 'repos:read', isOperators: true },
  { id: 'retention', name: 'Retention', scope: 'repos:read', isOperators: true },
  { id: 'about', name: 'About' },
];

/** Returns the parts that the key may see, in the order of the tabs. */
export function settingsParts(): readonly Part[] {
  return all.filter(({ scope, isOperators }) => (!isOperators || isInstanceKey()) && (!scope || mayUse(scope)));
}

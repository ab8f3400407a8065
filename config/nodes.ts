/** Says whether a service runs on one machine or on several. */
import type { Settings } from './schema.ts';

/** Whether this machine is one node of several. */
export function isOneOfSeveral({ node }: Pick<Settings, 'node'>): boolean {
  return node !== '';
}

/**
 * Lists the tiers of limits: `standard`, `unlimited`, and the tiers of the setting `tiers`. Each limit of `standard`
 * has a setting of its own. If another tier does not set a limit, the limit of the standard tier applies.
 */
import type { Settings } from './schema.ts';

/** Limits of an organization; 0 = no limit. */
export interface Tier {
  name: string;
  apiPerMinute: number;
  apiPerHour: number;
  apiPerDay: number;
  /**
   * Limit for all keys of an organization together, as a multiple of the limit for one key. The multiple applies to the
   * limits per minute and per hour. If the field is absent, no such limit applies.
   */
  apiOrgFactor?: number;
  webhooksPerMinute: number;
  webhooksPerHour: number;
}

/** The settings that define the tiers. */
export type TierSettings = Pick<
  Settings,
  | 'limitApiPerMinute'
  | 'limitApiPerHour'
  | 'limitApiPerDay'
  | 'limitApiOrgFactor'
  | 'limitWebhooksPerMinute'
  | 'limitWebhooksPerHour'
  | 'tiers'
>;

/** Names of the built-in tiers. A tier of the settings must have another name. */
export const builtInTiers: readonly string[] = ['standard', 'unlimited'];

/** Returns all tiers by name, the built-in tiers first. */
export function tiersOf(settings: TierSettings): ReadonlyMap<string, Tier> {
  const standard: Tier = {
    name: 'standard',
    apiPerMinute: settings.limitApiPerMinute,
    apiPerHour: settings.limitApiPerHour,
    apiPerDay: settings.limitApiPerDay,
    apiOrgFactor: settings.limitApiOrgFactor,
    webhooksPerMinute: settings.limitWebhooksPerMinute,
    webhooksPerHour: settings.limitWebhooksPerHour,
  };
  const none = { apiPerMinute: 0, apiPerHour: 0, apiPerDay: 0, webhooksPerMinute: 0, webhooksPerHour: 0 };
  const tiers = [standard, { name: 'unlimited', ...none }, ...settings.tiers.map((tier) => ({ ...standard, ...tier }))];
  return new Map(tiers.map((tier) => [tier.name, tier]));
}

/** Finds a tier by name. Returns the standard tier for a name that the settings no longer contain. */
export function tierNamed(tiers: ReadonlyMap<string, Tier>, name: string): Tier {
  return (tiers.get(name) ?? tiers.get('standard')) as Tier;
}

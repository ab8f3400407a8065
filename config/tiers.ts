/**
 * The tiers of limits: `standard`, whose numbers are settings of their own, `unlimited`, and those of the setting `tiers`,
 * which take from the standard one what they do not name.
 */
import type { Settings } from './schema.ts';

/** Limits of an organisation; 0 = no limit. */
export interface Tier {
  name: string;
  apiPerMinute: number;
  apiPerHour: number;
  apiPerDay: number;
  /** Requests per minute and hour of all keys of an organisation, as a multiple of those per key; absent = no limit. */
  apiOrgFactor?: number;
  webhooksPerMinute: number;
  webhooksPerHour: number;
}

/** The settings that tiers are made of. */
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

/** Names that the settings cannot give to a tier of their own. */
export const builtInTiers: readonly string[] = ['standard', 'unlimited'];

/** All tiers by name, the built-in ones first. */
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

/** A tier by name; the standard one for a name that the settings do not know any more. */
export function tierNamed(tiers: ReadonlyMap<string, Tier>, name: string): Tier {
  return (tiers.get(name) ?? tiers.get('standard')) as Tier;
}

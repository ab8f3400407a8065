/** Defines the services of the gateway that every API route uses. */
import type { BodyBudget } from '../http/budget.ts';
import type { Authenticator } from './authenticate.ts';
import type { ApiContext } from './context.ts';
import type { HomedApiLimit } from './homed-limit.ts';
import type { OnceGuard } from './idempotency.ts';
import type { PositionGate } from './positions.ts';
import type { Quotas } from './quotas.ts';
import type { Sessions } from './sessions.ts';
import type { UsageMeter } from './usage.ts';

/** The services that all routes share. */
export interface ApiServices {
  context: ApiContext;
  authenticator: Authenticator;
  limit: HomedApiLimit;
  usage: UsageMeter;
  quotas: Quotas;
  sessions: Sessions;
  once: OnceGuard;
  budget: BodyBudget;
  /** Positions in requests and replies; undefined on one machine. */
  positions: PositionGate | undefined;
}

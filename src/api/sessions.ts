/**
 * The gateway's state about sessions: limits of sessions and sign-ins, the use of sessions that was noted, and what is
 * reported about refused sign-ins.
 */
import { type Homes, soleHome } from '../cluster/homes.ts';
import type { Auditor } from '../foundation/audit.ts';
import { ServiceError } from '../foundation/errors.ts';
import { ulid } from '../foundation/ids.ts';
import { sessionsRefused } from '../foundation/metrics.ts';
import type { CommandRecord } from '../protocol/journal.ts';
import { type SessionRecord, sessionExpiry, sessionMaxMs, sessionRenewalMs } from '../protocol/sessions.ts';
import { KeyRefusedError, sessionTier } from './authenticate.ts';
import { HomedApiLimit } from './homed-limit.ts';
import { ApiLimit } from './limit.ts';
import { CookieChoice } from './session-cookie.ts';
import { SignInLimit } from './sign-in-limit.ts';

/** Why a sign-in is refused. */
export type SignInFault =
  | KeyRefusedError['fault']
  | 'code'
  | 'invalid'
  | 'insecure'
  | 'cross_site'
  | 'limited'
  | 'failed';

/** Maximum number of lines per minute that the audit log gets about refused sign-ins. All of them are counted. */
const [maxAudited, auditMs] = [60, 60_000];

interface SessionsOptions {
  publicUrl: string;
  trustedProxies: readonly string[];
  auditor: Auditor | undefined;
  /** The gateways that count; absent = this one alone. */
  homes?: Homes;
  /** Sends a record to the journal of the directory partition. */
  enqueue: (record: CommandRecord) => Promise<unknown>;
}

export class Sessions {
  /** The limit of requests per session. */
  readonly limit: HomedApiLimit;
  readonly signIns: SignInLimit;
  readonly cookies: CookieChoice;
  private readonly options: SessionsOptions;
  /** When the use of a session was last sent to the journal, by the id of the session. */
  private readonly noted = new Map<string, number>();
  /** The current minute of the audit log, and the number of its lines about refused sign-ins. */
  private audited = { minute: 0, lines: 0 };

  constructor(options: SessionsOptions) {
    this.options = options;
    const { homes = soleHome } = options;
    this.limit = new HomedApiLimit(homes, new ApiLimit('session'), { name: 'session', tierOf: () => sessionTier });
    this.signIns = new SignInLimit(options.trustedProxies, homes);
    this.cookies = new CookieChoice(options);
  }

  /**
   * Notes that a session was used, so that it ends later. At most one record per session and ten minutes is sent. If
   * the journal does not accept it, the next request after that time sends another one.
   */
  used(session: SessionRecord, now: number): void {
    if (now < session.renewedAt + sessionRenewalMs) return;
    const noted = this.noted.get(session.id) ?? 0;
    // A time in the future was noted while the clock was ahead.
    if (noted <= now && now < noted + sessionRenewalMs) return;
    // Nothing makes a session longer than its maximum.
    if (sessionExpiry(session) >= session.createdAt + sessionMaxMs) return;
    this.noted.set(session.id, now);
    const command = { name: 'renewSession', token: session.token } as const;
    this.options.enqueue({ id: ulid(), at: now, kind: 'command', command }).catch(() => {});
  }

  /**
   * Reports a refused sign-in: in the metrics, and within a limit in the audit log.
   * @param keyId the key of the sign-in, if the service knows it
   */
  refused(error: unknown, requestId: string, keyId?: string): void {
    const reason = faultOf(error);
    sessionsRefused.inc({ reason });
    if (!this.mayAudit(Math.floor(performance.now() / auditMs))) return;
    const by = (error instanceof KeyRefusedError ? error.keyId : keyId) ?? 'unknown';
    void this.options.auditor?.write({
      action: 'createSession',
      outcome: 'refused',
      by,
      requestId,
      objects: { reason },
    });
  }

  /** Removes counts that are no longer needed. */
  sweep(now: number, wallClock: number): void {
    this.limit.sweep(now);
    this.signIns.sweep(now);
    for (const [id, at] of this.noted) {
      if (at > wallClock || at + sessionRenewalMs <= wallClock) this.noted.delete(id);
    }
  }

  private mayAudit(minute: number): boolean {
    if (minute !== this.audited.minute) this.audited = { minute, lines: 0 };
    this.audited.lines += 1;
    return this.audited.lines <= maxAudited;
  }
}

/** Refuses a sign-in for a reason that is not a fault of the key. */
export class SignInRefusedError extends ServiceError {
  readonly fault: SignInFault;

  constructor(fault: SignInFault, { kind, message, details, retryAfter }: ServiceError) {
    super(kind, message, { ...(details && { details }), ...(retryAfter !== undefined && { retryAfter }) });
    this.fault = fault;
  }
}

function faultOf(error: unknown): SignInFault {
  if (error instanceof KeyRefusedError || error instanceof SignInRefusedError) return error.fault;
  return error instanceof ServiceError && error.status < 500 ? 'invalid' : 'failed';
}

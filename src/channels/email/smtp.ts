/**
 * A session with a mail server: checks that the settings allow the server's address, connects, starts TLS, logs in, and
 * sends messages one by one. The session reports whether each message was accepted, refused or lost. Only the server's
 * status codes leave this file. The server's texts do not, because they quote addresses.
 */
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { type Egress, EgressError } from '../../egress/egress.ts';
import type { EmailSettings } from '../../protocol/channel-settings.ts';
import { DeliveryError } from '../channel.ts';

/** The result of sending a message. `code` is, for example, `550 5.1.1`. */
export type Handover =
  | { kind: 'accepted' }
  /** The server refused the message permanently (`rejected`) or temporarily (`deferred`). */
  | { kind: 'rejected' | 'deferred'; code: string }
  /** No reply came. `handed` is true when the server had begun to receive the message and may therefore deliver it. */
  | { kind: 'lost'; handed: boolean };

type SmtpError = Error & {
  code?: string;
  originalCode?: string;
  responseCode?: number;
  response?: string;
  command?: string;
  /** Name of the failed system call. The field is set for errors of the operating system only. */
  syscall?: string;
  timeoutType?: string;
};

const ports = { starttls: 587, implicit: 465, none: 25 } as const;
const connectTimeoutMs = 15_000;
const silenceTimeoutMs = 30_000;
/** The status with which a server ends a session. It can be the reply to any command. */
const closing = 421;

export class SmtpSession {
  private readonly connection: SMTPConnection;
  private readonly signal: AbortSignal;
  private readonly ended: Promise<void>;
  private failure: Error | undefined;

  private constructor(connection: SMTPConnection, signal: AbortSignal) {
    this.connection = connection;
    this.signal = signal;
    this.ended = new Promise((resolve) => {
      const stop = (): void => resolve();
      signal.addEventListener('abort', stop, { once: true });
      connection.once('end', () => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
      connection.on('error', (error: Error) => {
        this.failure ??= error;
        resolve();
      });
    });
  }

  /**
   * Resolves the server's name, tries its addresses one after another until a connection is made, and logs in.
   * @throws DeliveryError if no session could be opened. In this case, no message was sent
   */
  static async open(settings: EmailSettings, egress: Egress, signal: AbortSignal): Promise<SmtpSession> {
    const { host, tls = 'starttls', user, password } = settings;
    if (tls === 'none' && password !== undefined) {
      throw new DeliveryError(
        'refused',
        'The connection has a password, which must not be sent without TLS. Set tls to starttls or implicit.',
      );
    }
    if ((user === undefined) !== (password === undefined)) {
      throw new DeliveryError('refused', 'The connection needs both user and password, or neither.');
    }
    const addresses = await addressesOf(host, egress);
    for (;;) {
      try {
        return await SmtpSession.openAt(addresses.shift() as string, settings, signal);
      } catch (error) {
        if (addresses.length > 0 && isUnreachable(error as SmtpError)) continue;
        throw error instanceof DeliveryError ? error : connectFailure(error as SmtpError);
      }
    }
  }

  private static async openAt(address: string, settings: EmailSettings, signal: AbortSignal): Promise<SmtpSession> {
    const { host, tls = 'starttls', port = ports[tls], user, password } = settings;
    const connection = new SMTPConnection({
      host: address,
      port,
      ...(isIP(host) === 0 && { servername: host }),
      secure: tls === 'implicit',
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'none',
      tls: settings.certificateAuthority === undefined ? {} : { ca: settings.certificateAuthority },
      connectionTimeout: connectTimeoutMs,
      greetingTimeout: connectTimeoutMs,
      socketTimeout: silenceTimeoutMs,
      socketCloseTimeout: 0,
    });
    const session = new SmtpSession(connection, signal);
    try {
      await session.step((done) => connection.connect((error) => done(error ?? null)));
      if (user !== undefined && password !== undefined) {
        await session.step((done) => connection.login({ user, pass: password }, done));
      }
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  /** Sends a message to one recipient. */
  async send(from: string, to: string, message: Buffer): Promise<Handover> {
    let handed = false;
    const body = Readable.from(
      (function* () {
        handed = true;
        yield message;
      })(),
    );
    try {
      const envelope = { from, to: [to], size: message.length };
      await this.step((done) => this.connection.send(envelope, body, done));
      return { kind: 'accepted' };
    } catch (error) {
      const { code, responseCode } = error as SmtpError;
      const isAnswer = code === 'EENVELOPE' || code === 'EMESSAGE';
      if (isAnswer && (handed || responseCode !== closing)) {
        if (!(await this.reset())) this.close();
        return { kind: (responseCode ?? 500) < 500 ? 'deferred' : 'rejected', code: codeOf(error as SmtpError) };
      }
      this.close();
      return { kind: 'lost', handed };
    }
  }

  get isOpen(): boolean {
    return !this.connection.destroyed && !this.signal.aborted;
  }

  /** Sends QUIT and does not wait for the reply. */
  close(): void {
    if (!this.connection.destroyed && this.connection.stage === 'connected') this.connection.quit();
    setImmediate(() => this.connection.close());
  }

  /** Runs one step of the protocol. The step also ends when the connection ends or the signal aborts. */
  private step(begin: (done: (error: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) return reject(new Error('stopped'));
      begin((error) => (error ? reject(error) : resolve()));
      void this.ended.then(() => setImmediate(() => reject(this.failure ?? new Error('the connection ended'))));
    });
  }

  private reset(): Promise<boolean> {
    return this.step((done) => this.connection.reset((error) => done(error))).then(
      () => true,
      () => false,
    );
  }
}

async function addressesOf(host: string, egress: Egress): Promise<string[]> {
  try {
    return await egress.resolve(host);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const outcome = error.kind === 'refused' ? 'refused' : 'retry';
    throw new DeliveryError(outcome, `The mail server cannot be reached: ${error.message}.`);
  }
}

/**
 * Whether the connection could not be made. Example: the server's name has an IPv6 address, but the server listens on
 * IPv4 only.
 */
function isUnreachable({ syscall, timeoutType }: SmtpError): boolean {
  return syscall === 'connect' || timeoutType === 'CONNECT_TIMEOUT';
}

function connectFailure(error: SmtpError): DeliveryError {
  const { code, responseCode = 0 } = error;
  const cause = error.originalCode ?? code ?? '';
  if (code === 'EAUTH' || code === 'ENOAUTH') {
    const outcome = responseCode >= 400 && responseCode < 500 ? 'retry' : 'refused';
    return new DeliveryError(outcome, `The mail server refused the login (${codeOf(error)}).`);
  }
  if (/CERT|ALTNAME|SELF_SIGNED|ISSUER/.test(cause)) {
    return new DeliveryError('refused', `The mail server's certificate cannot be verified (${cause}).`);
  }
  if (code === 'ETLS')
    return new DeliveryError('refused', 'The connection requires TLS, but the mail server does not offer it.');
  if (responseCode >= 500)
    return new DeliveryError('refused', `The mail server refused the connection (${codeOf(error)}).`);
  const why = /^E[A-Z]+$/.test(cause) ? ` (${cause})` : '';
  return new DeliveryError('retry', `The mail server could not be reached${why}.`);
}

/**
 * Returns the status and the enhanced status of a reply. The text after them is dropped, since it may quote the
 * recipient.
 */
function codeOf({ response = '', responseCode }: SmtpError): string {
  const [, status, enhanced] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/.exec(response) ?? [];
  if (status === undefined) return responseCode ? String(responseCode) : 'no code given';
  return enhanced === undefined ? status : `${status} ${enhanced}`;
}

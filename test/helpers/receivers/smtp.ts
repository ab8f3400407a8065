/**
 * Starts a mail server on loopback that speaks SMTP with TLS and logins, and stores the mails that it accepts. A test
 * can make the server refuse a mail or drop the connection.
 */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { SMTPServer, type SMTPServerError } from 'smtp-server';
import { afterwards } from '../cleanup.ts';
import { type Mail, parseMail } from './mime.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../../../../test/fixtures/${name}`, import.meta.url), 'utf8');
/** The self-signed certificate of the server. */
export const certificate = fixture('localhost-cert.pem');
const key = fixture('localhost-key.pem');

/**
 * The moment at which the server drops the connection without an answer. `recipient`: before it receives the message.
 * `taken`: after it has stored the message. `refused silently`: after it has discarded the message.
 */
export type HangUp = 'recipient' | 'taken' | 'refused silently';

export interface SmtpOptions {
  tls?: 'starttls' | 'implicit' | 'none';
  /** The login that the server requires; without it, the server requires no login. */
  login?: { user: string; password: string };
  /** Returns the status with which the server refuses a recipient; undefined when the server accepts the recipient. */
  refuse?: (recipient: string) => number | undefined;
  /**
   * Returns the moment at which the server drops the connection for a message; undefined when the server keeps the
   * connection. Messages are numbered from 1.
   */
  hangUp?: (message: number) => HangUp | undefined;
  /** Number of messages after which the server ends a session with 421. */
  messagesPerSession?: number;
  /** Delays each message by a random time of up to this many milliseconds. */
  slowMs?: number;
}

export interface ReceivedMail extends Mail {
  from: string;
  to: string[];
  raw: string;
}

export interface SmtpReceiver {
  port: number;
  mails: ReceivedMail[];
  sessions: number;
}

/** Starts a mail server, which stops when the test ends. */
export async function startSmtp(t: TestContext, options: SmtpOptions = {}): Promise<SmtpReceiver> {
  const { tls = 'none', login } = options;
  const held: SmtpReceiver = { port: 0, mails: [], sessions: 0 };
  const counts = new Map<string, number>();
  let begun = 0;
  const server = new SMTPServer({
    secure: tls === 'implicit',
    key,
    cert: certificate,
    hideSTARTTLS: tls !== 'starttls',
    authOptional: !login,
    disabledCommands: [...(login ? [] : ['AUTH']), ...(tls === 'none' ? ['STARTTLS'] : [])],
    allowInsecureAuth: true,
    closeTimeout: 100,
    onConnect(_, done) {
      held.sessions += 1;
      done();
    },
    onAuth({ username, password }, _, done) {
      if (username === login?.user && password === login?.password) done(null, { user: username });
      else done(refusal(535, '5.7.8 bad credentials'));
    },
    onMailFrom(_, session, done) {
      const { messagesPerSession = Number.POSITIVE_INFINITY } = options;
      if ((counts.get(session.id) ?? 0) >= messagesPerSession) done(refusal(421, '4.7.0 enough for now'));
      else done();
    },
    onRcptTo({ address }, session, done) {
      const status = options.refuse?.(address);
      if (options.hangUp?.(begun + 1) === 'recipient') {
        begun += 1;
        return dropped(session.id);
      }
      if (status === undefined) done();
      else done(refusal(status, `${String(status)[0]}.1.1 <${address}> is not known here`));
    },
    onData(stream, session, done) {
      const mine = ++begun;
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('latin1');
        const { mailFrom, rcptTo } = session.envelope;
        const fate = options.hangUp?.(mine);
        const mail = {
          ...parseMail(raw),
          raw,
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
        };
        if (fate !== 'refused silently') held.mails.push(mail);
        counts.set(session.id, (counts.get(session.id) ?? 0) + 1);
        if (fate !== undefined) dropped(session.id);
        else if (options.slowMs) setTimeout(done, Math.random() * options.slowMs);
        else done();
      });
    },
  });
  const dropped = (id: string): void => {
    for (const connection of server.connections) {
      if (connection.id === id) (connection as unknown as { _socket: { destroy(): void } })._socket.destroy();
    }
  };
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  held.port = (server.server.address() as AddressInfo).port;
  afterwards(t, () => new Promise<void>((resolve) => server.close(() => resolve())));
  return held;
}

function refusal(status: number, words: string): SMTPServerError {
  return Object.assign(new Error(words), { responseCode: status });
}

/**
 * Explains why a connection to the journal's server failed, with the setting that can be wrong.
 */
import { ErrorCode, NatsError } from 'nats';
import { asksForTls, type NatsSettings } from './credentials.ts';
import { JournalSetupError } from './topology.ts';

/** The error of a failed connection, in words of the settings where these are its cause. */
export function explain(error: NodeJS.ErrnoException | undefined, settings: NatsSettings): Error {
  if (error instanceof JournalSetupError) return error;
  const told = error?.message || 'the connection was closed';
  if (error instanceof NatsError && error.isAuthError()) {
    return new JournalSetupError(`The NATS server refuses ${proofOf(settings)} (${told}).`);
  }
  const cause = tlsCause(error);
  if (cause !== undefined) return new JournalSetupError(`${cause} (${told}).`);
  return new Error(wasCut(error) && mayLackCertificate(settings) ? `${told} (${cutAdvice})` : told);
}

/** A refusal of TLS can be lost on its way: the server closes the connection while the client still sends. */
const cutAdvice =
  'a server that wants a certificate does this, too: see TIDINGS_NATS_TLS_CERT and TIDINGS_NATS_TLS_KEY';

function wasCut(error: NodeJS.ErrnoException | undefined): boolean {
  return /^(ECONNRESET|ECONNABORTED|EPIPE|CONNECTION_CLOSED)$/.test(error?.code ?? '') || !error?.message;
}

function mayLackCertificate(settings: NatsSettings): boolean {
  return settings.natsTlsCert === '' && asksForTls(settings);
}

/** What the client proved itself with. */
function proofOf({ natsCredentials, natsUrl }: NatsSettings): string {
  if (natsCredentials !== '') return `the credentials of TIDINGS_NATS_CREDENTIALS, ${natsCredentials}`;
  if (new URL(natsUrl).username !== '') return 'the credentials in TIDINGS_NATS_URL';
  return 'a connection without credentials: set TIDINGS_NATS_CREDENTIALS';
}

function tlsCause(error: NodeJS.ErrnoException | undefined): string | undefined {
  const code = error?.code ?? '';
  if (code === ErrorCode.ServerOptionNotAvailable) {
    return 'The NATS server does not offer TLS, but TIDINGS_NATS_URL or a TIDINGS_NATS_TLS_* setting asks for it';
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return 'The NATS server does not begin with TLS: TIDINGS_NATS_TLS_FIRST needs handshake_first in its configuration';
  }
  if (/ALERT_CERTIFICATE_REQUIRED|ALERT_BAD_CERTIFICATE|ALERT_HANDSHAKE_FAILURE/.test(code)) {
    return 'The NATS server wants a certificate: set TIDINGS_NATS_TLS_CERT and TIDINGS_NATS_TLS_KEY';
  }
  if (/SELF_SIGNED|UNABLE_TO|CERT_|ALTNAME/.test(code)) {
    return 'The certificate of the NATS server is not trusted: set TIDINGS_NATS_TLS_CA to its CA, or to the certificate itself';
  }
  return undefined;
}

/** Explains why a connection to the journal's server failed, and names the setting that may be wrong. */
import { ErrorCode, NatsError } from 'nats';
import { natsAddressesOf } from '../../config/nats-addresses.ts';
import { asksForTls, type NatsSettings } from './credentials.ts';
import { JournalSetupError } from './topology.ts';

/** Converts the error of a failed connection. If a setting caused the error, the new message names the setting. */
export function explain(error: NodeJS.ErrnoException | undefined, settings: NatsSettings): Error {
  if (error instanceof JournalSetupError) return error;
  const reason = error?.message || 'the connection was closed';
  if (error instanceof NatsError && error.isAuthError()) {
    return new JournalSetupError(`The NATS server refuses ${proofOf(settings)}. Reason: ${reason}.`);
  }
  const cause = tlsCause(error);
  if (cause !== undefined) return new JournalSetupError(`${cause}. Reason: ${reason}.`);
  return new Error(wasCut(error) && mayLackCertificate(settings) ? `${reason} (${cutAdvice})` : reason);
}

/**
 * Advice for a connection that the server closed without an error message. The message of a TLS refusal can be lost,
 * because the server closes the connection while the client is still sending.
 */
const cutAdvice =
  'the cause may be that the server requires a client certificate: see TIDINGS_NATS_TLS_CERT and TIDINGS_NATS_TLS_KEY';

function wasCut(error: NodeJS.ErrnoException | undefined): boolean {
  return /^(ECONNRESET|ECONNABORTED|EPIPE|CONNECTION_CLOSED)$/.test(error?.code ?? '') || !error?.message;
}

function mayLackCertificate(settings: NatsSettings): boolean {
  return settings.natsTlsCert === '' && asksForTls(settings);
}

/** Describes, for error messages, the credentials that the client sent. */
function proofOf({ natsCredentials, natsUrl }: NatsSettings): string {
  if (natsCredentials !== '') return `the credentials of TIDINGS_NATS_CREDENTIALS, ${natsCredentials}`;
  if (natsAddressesOf(natsUrl).credentials) return 'the credentials in TIDINGS_NATS_URL';
  return 'a connection without credentials: set TIDINGS_NATS_CREDENTIALS';
}

function tlsCause(error: NodeJS.ErrnoException | undefined): string | undefined {
  const code = error?.code ?? '';
  if (code === ErrorCode.ServerOptionNotAvailable) {
    return 'The NATS server does not offer TLS, but TIDINGS_NATS_URL or a TIDINGS_NATS_TLS_* setting requires TLS';
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return 'TIDINGS_NATS_TLS_FIRST is set, but the NATS server does not begin with a TLS handshake: set handshake_first in the configuration of the server';
  }
  if (/ALERT_CERTIFICATE_REQUIRED|ALERT_BAD_CERTIFICATE|ALERT_HANDSHAKE_FAILURE/.test(code)) {
    return 'The NATS server requires a client certificate: set TIDINGS_NATS_TLS_CERT and TIDINGS_NATS_TLS_KEY';
  }
  if (/SELF_SIGNED|UNABLE_TO|CERT_|ALTNAME/.test(code)) {
    return 'The certificate of the NATS server is not trusted: set TIDINGS_NATS_TLS_CA to the file of its CA certificate, or of the server certificate';
  }
  return undefined;
}

/**
 * What the webhook receiver answers to a delivery that it refuses, and which reason and outcome an error stands for.
 */
import { ServiceError } from '../foundation/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RefusalReason } from '../protocol/refused-deliveries.ts';
import { formRemedy, isForm } from './delivery.ts';

type Headers = Pick<Exchange, 'headers'>;

const wanted = 'X-Hub-Signature-256 must be sha256= and the HMAC-SHA256 of the raw body under the webhook secret.';
const mismatch = `The signature does not match. ${wanted} Give the webhook on the host the same secret as this service.`;

/** The refusal of a delivery that no secret signed; it says what to change on the host. */
export function unsigned(request: Headers, hasSecrets: boolean): ServiceError {
  return new ServiceError('unauthorized', unsignedMessage(request, hasSecrets));
}

function unsignedMessage(request: Headers, hasSecrets: boolean): string {
  if (!hasSecrets) return 'No webhook secret is configured, so nothing can be verified.';
  if (isForm(request)) return `The signature does not match. ${wanted} ${formRemedy}`;
  if (isUnsigned(request)) return `The signature is missing. ${wanted} Give the webhook on the host a secret.`;
  return mismatch;
}

/** Gitea sends an empty digest for a webhook without a secret. */
function isUnsigned({ headers }: Headers): boolean {
  return ['', 'sha256='].includes(headers['x-hub-signature-256'] ?? '');
}

/** A well-signed delivery of what is not its signer's to tell. Its sender learns no more than from a bad signature. */
export class ForeignEvent extends ServiceError {
  constructor() {
    super('unauthorized', mismatch);
  }
}

/** Why an error refuses a delivery; undefined for a fault of the service, after which the host sends it again. */
export function reasonOf(request: Headers, error: unknown): RefusalReason | undefined {
  if (error instanceof ForeignEvent) return 'foreign';
  if (!(error instanceof ServiceError)) return undefined;
  if (error.kind === 'tooLarge') return 'too_large';
  if (error.kind === 'rateLimited') return 'limited';
  if (error.kind !== 'unauthorized' && error.kind !== 'invalid') return undefined;
  if (isForm(request)) return 'form_body';
  if (error.kind === 'invalid') return 'malformed';
  return isUnsigned(request) ? 'no_signature' : 'wrong_signature';
}

const outcomes: Partial<Record<string, string>> = {
  invalid: 'malformed',
  unauthorized: 'unsigned',
  rateLimited: 'limited',
  tooLarge: 'too_large',
  unavailable: 'unavailable',
};

/** The outcome that an error is counted as. */
export function outcomeOf(error: unknown): string {
  if (error instanceof ForeignEvent) return 'foreign';
  return (error instanceof ServiceError && outcomes[error.kind]) || 'failed';
}

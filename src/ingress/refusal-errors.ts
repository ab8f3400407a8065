/**
 * Makes the errors with which the webhook receiver refuses deliveries. Also maps errors to refusal reasons and to the
 * outcomes that a metric counts.
 */
import { ServiceError } from '../foundation/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RefusalReason } from '../protocol/refused-deliveries.ts';
import { formRemedy, isForm } from './delivery.ts';

type Headers = Pick<Exchange, 'headers'>;

const wanted =
  'X-Hub-Signature-256 must be sha256= followed by the HMAC-SHA256 of the raw body, with the webhook secret as the key.';
const mismatch = `The signature does not match. ${wanted} On the host, set the secret of the webhook to the secret of this service.`;

/**
 * Makes the error for a delivery that was not signed with a known secret. Its message describes what to change on the
 * host.
 */
export function unsigned(request: Headers, hasSecrets: boolean): ServiceError {
  return new ServiceError('unauthorized', unsignedMessage(request, hasSecrets));
}

function unsignedMessage(request: Headers, hasSecrets: boolean): string {
  if (!hasSecrets) return 'No webhook secret is configured, so the signature cannot be verified.';
  if (isForm(request)) return `The signature does not match. ${wanted} ${formRemedy}`;
  if (isUnsigned(request)) return `The signature is missing. ${wanted} On the host, set a secret for the webhook.`;
  return mismatch;
}

/** Whether a delivery has no signature. Gitea sends an empty signature for a webhook without a secret. */
function isUnsigned({ headers }: Headers): boolean {
  return ['', 'sha256='].includes(headers['x-hub-signature-256'] ?? '');
}

/**
 * The error for a delivery that has a valid signature but concerns an organization other than the signer. The message
 * is the same as for a wrong signature, so that the sender learns nothing more.
 */
export class ForeignEvent extends ServiceError {
  constructor() {
    super('unauthorized', mismatch);
  }
}

/**
 * Returns the reason of a refusal; undefined if the delivery was not refused but the service failed. After such a
 * failure, the host sends the delivery again.
 */
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

/** Returns the outcome that the metric of received webhooks counts for an error. */
export function outcomeOf(error: unknown): string {
  if (error instanceof ForeignEvent) return 'foreign';
  return (error instanceof ServiceError && outcomes[error.kind]) || 'failed';
}

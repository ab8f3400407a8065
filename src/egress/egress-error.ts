/**
 * The one failure of a request that got no reply, with the answer to the question that decides whether it may be repeated.
 */

/** `sent` = the receiver may have got it; false when no connection was made or the address was refused. */
export class EgressError extends Error {
  readonly kind: 'refused' | 'timeout' | 'network';
  readonly sent: boolean;

  constructor(kind: 'refused' | 'timeout' | 'network', sent: boolean, message: string) {
    super(message);
    this.name = 'EgressError';
    this.kind = kind;
    this.sent = sent;
  }
}

/**
 * Defines the error of a request that got no reply. The error reports whether the request may have reached the
 * receiver. A request that cannot have reached the receiver may be repeated safely.
 */

/**
 * `sent` means that the receiver may have got the request. `sent` is false when no connection was made or the address
 * was refused.
 */
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

/**
 * Which addresses webhooks may come from (spec part 5). Behind a proxy the address is the one that the nearest trusted hop
 * has seen; what a client itself writes into X-Forwarded-For is not believed.
 */
import type { BlockList } from 'node:net';
import { ClientAddress, contains, toBlockList } from './client-address.ts';

/** The settings of the list: addresses and networks in CIDR form. */
export interface AllowListSettings {
  webhookAllow: readonly string[];
  trustedProxies: readonly string[];
}

export class AllowList {
  private readonly allowed: BlockList | undefined;
  private readonly clients: ClientAddress;

  /** An empty list allows every address. */
  constructor({ webhookAllow, trustedProxies }: AllowListSettings) {
    this.allowed = webhookAllow.length > 0 ? toBlockList(webhookAllow) : undefined;
    this.clients = new ClientAddress(trustedProxies);
  }

  /**
   * Whether a request is taken.
   * @param peer the address of the connection; asked for only when there is a list
   * @param forwarded the X-Forwarded-For header
   */
  admits(peer: () => string, forwarded: string | undefined): boolean {
    if (!this.allowed) return true;
    const source = this.clients.of(peer(), forwarded);
    return source !== undefined && contains(this.allowed, source);
  }
}

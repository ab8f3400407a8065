/**
 * Checks whether the service accepts webhooks from an address (spec part 5). Behind trusted proxies, the checked
 * address is the address from which the outermost trusted proxy received the request. Addresses that a client itself
 * writes into X-Forwarded-For are ignored.
 */
import type { BlockList } from 'node:net';
import { ClientAddress, contains, toBlockList } from '../http/client-address.ts';

/** The settings of the list. `webhookAllow` and `trustedProxies` contain addresses and networks in CIDR form. */
export interface AllowListSettings {
  webhookAllow: readonly string[];
  trustedProxies: readonly string[];
}

export class AllowList {
  private readonly allowed: BlockList | undefined;
  private readonly clients: ClientAddress;

  /** An empty `webhookAllow` allows every address. */
  constructor({ webhookAllow, trustedProxies }: AllowListSettings) {
    this.allowed = webhookAllow.length > 0 ? toBlockList(webhookAllow) : undefined;
    this.clients = new ClientAddress(trustedProxies);
  }

  /**
   * Whether a request from a client is accepted.
   * @param peer returns the address of the connection; called only when the list is not empty
   * @param forwarded the X-Forwarded-For header
   */
  admits(peer: () => string, forwarded: string | undefined): boolean {
    if (!this.allowed) return true;
    const source = this.clients.of(peer(), forwarded);
    return source !== undefined && contains(this.allowed, source);
  }
}

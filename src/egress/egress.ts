/**
 * Sends requests to addresses that customers choose, but only to public addresses and to other addresses that the
 * settings allow. The IP addresses of a name are checked when the connection is made. So the name cannot resolve to
 * another address between the check and the connection. Redirects are not followed, long replies are cut, and the whole
 * exchange has a timeout. Callers interpret the reply.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector, Client } from 'undici';
import { AddressRule, type Verdict } from './address.ts';
import { EgressError } from './egress-error.ts';
import { type EgressReply, type EgressRequest, exchange } from './exchange.ts';
import { type EgressOptions, targetFault, unbracketed } from './target.ts';

export { EgressError } from './egress-error.ts';
export type { EgressReply, EgressRequest } from './exchange.ts';
export type { EgressOptions } from './target.ts';

const notPublic = 'the address is not public, and no setting allows it';
const resolveTimeoutMs = 10_000;
const connectTimeoutMs = 20_000;

export class Egress {
  private readonly options: EgressOptions;
  private readonly rule: AddressRule;
  private readonly secure: buildConnector.connector;
  private readonly plain: buildConnector.connector;
  private readonly open = new Set<Client>();

  /** @throws Error when an entry of `allow` is not a valid address or network */
  constructor(options: EgressOptions) {
    this.options = options;
    this.rule = new AddressRule(options.allow);
    this.secure = this.connectorFor((verdict) => verdict !== 'refused');
    this.plain = this.connectorFor((verdict) => verdict === 'allowed' || (verdict === 'public' && options.allowHttp));
  }

  /**
   * Sends a request and reads its reply, whatever the status of the reply. Each request uses a new connection for two
   * reasons. First, every connection is checked. Second, the receiver could close a reused connection just before the
   * request. The service would then not know whether the request arrived.
   * @throws EgressError when no reply arrives; its message contains no part of the path or the query
   */
  async request(request: EgressRequest): Promise<EgressReply> {
    const fault = targetFault(request.url, this.options) ?? headerFault(request.headers ?? {});
    if (fault !== undefined) throw new EgressError('refused', false, fault);
    const { origin, protocol } = new URL(request.url);
    const connect = protocol === 'https:' ? this.secure : this.plain;
    const client = new Client(origin, { connect, pipelining: 0, headersTimeout: 0, bodyTimeout: 0 });
    this.open.add(client);
    try {
      return await exchange(client, request);
    } finally {
      this.open.delete(client);
      void client.destroy();
    }
  }

  /**
   * Resolves a name for protocols other than HTTP, and checks its addresses in the same way as for HTTP requests.
   * @returns at least one address to connect to, in the order in which to try the addresses
   * @throws EgressError when the name cannot be resolved, or one of its addresses is refused
   */
  async resolve(hostname: string): Promise<string[]> {
    const addresses = await withinTime(
      new Promise<LookupAddress[]>((resolve, reject) => {
        this.resolveAll(
          unbracketed(hostname),
          (verdict) => verdict !== 'refused',
          0,
          (error, found) => (error ? reject(error) : resolve(found)),
        );
      }),
    );
    return addresses.map(({ address }) => address);
  }

  /** Closes the open connections. Requests on these connections fail. */
  async close(): Promise<void> {
    await Promise.all([...this.open].map((client) => client.destroy()));
  }

  /**
   * Makes the connector. When the connector opens a connection to a host name, it checks the addresses of that name. A
   * literal IP address is not resolved and is not checked here, because `targetFault` has already checked it.
   */
  private connectorFor(accepts: (verdict: Verdict) => boolean): buildConnector.connector {
    const lookup: LookupFunction = (hostname, options, callback) => {
      const family = options.family === 4 || options.family === 6 ? options.family : 0;
      this.resolveAll(hostname, accepts, family, (error, addresses) => {
        const first = addresses[0];
        if (error || first === undefined) callback(error ?? new Error('no address'), '', 0);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      });
    };
    return buildConnector({ lookup, timeout: connectTimeoutMs });
  }

  /**
   * Resolves a name to all its addresses. If one of them is refused, the name is refused, since a connection could use
   * any of them.
   */
  private resolveAll(
    hostname: string,
    accepts: (verdict: Verdict) => boolean,
    family: 0 | 4 | 6,
    done: (error: EgressError | null, addresses: LookupAddress[]) => void,
  ): void {
    systemLookup(hostname, { all: true, family }, (error, addresses) => {
      if (error) done(new EgressError('network', false, `the host name cannot be resolved (${error.code})`), []);
      else if (addresses.length === 0) done(new EgressError('network', false, 'the host name has no IP address'), []);
      else if (addresses.every(({ address }) => accepts(this.rule.judge(address)))) done(null, addresses);
      else done(new EgressError('refused', false, notPublic), []);
    });
  }
}

/**
 * Returns the wait time that the `Retry-After` header of a reply requests, capped at one hour.
 * @param now milliseconds since 1970; used when the header contains a date
 * @returns milliseconds; undefined when the header is missing or not valid
 */
export function retryAfterMs(reply: Pick<EgressReply, 'headers'>, now: number): number | undefined {
  const text = reply.headers['retry-after']?.trim();
  if (text === undefined || text === '') return undefined;
  const ms = /^\d{1,10}$/.test(text)
    ? Number(text) * 1000
    : /[A-Za-z]/.test(text)
      ? Date.parse(text) - now
      : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), 3_600_000);
}

function headerFault(headers: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'expected header names without spaces or separators';
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for control characters
    if (/[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(value))
      return `expected a value of one line in the header ${name}`;
  }
  return undefined;
}

/** Limits the time to resolve a name. The system resolver's own timeout can be minutes. */
async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new EgressError('timeout', false, 'the host name was not resolved in time')),
      resolveTimeoutMs,
    );
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

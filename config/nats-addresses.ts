/**
 * Parses the setting TIDINGS_NATS_URL: the address of a NATS server, or a list of the addresses of the servers of one
 * cluster, separated by commas. A fault never contains a part of an address, because an address can contain a password.
 */

/** The servers that the setting names. */
export interface NatsAddresses {
  /** Each server as `host:port`. */
  servers: string[];
  /** Whether the addresses begin with `tls://`. */
  tls: boolean;
  /** The credentials in the addresses, which are valid for all servers; undefined if the addresses contain none. */
  credentials: { user: string; pass: string } | { token: string } | undefined;
}

const defaultPort = '4222';
const hostWords =
  'expected a host, optionally with a port from 1 to 65535, like nats://nats.example.com:4222. In credentials, write characters such as / : @ and the comma in percent-encoding';

/** Parses a value that has no faults. */
export function natsAddressesOf(natsUrl: string): NatsAddresses {
  const urls = itemsOf(natsUrl).map((item) => new URL(item));
  const first = urls[0] as URL;
  const [username, password] = [decodeURIComponent(first.username), decodeURIComponent(first.password)];
  const credentials = password ? { user: username, pass: password } : username ? { token: username } : undefined;
  return { servers: urls.map(serverOf), tls: first.protocol === 'tls:', credentials };
}

/** Returns the faults of a value that is not empty, one line per fault. */
export function natsAddressFaults(natsUrl: string): string[] {
  const items = itemsOf(natsUrl);
  const place = (index: number): string => `TIDINGS_NATS_URL${items.length > 1 ? `[${index}]` : ''}`;
  const faults = items.flatMap((item, i) => {
    const expected = faultOf(item);
    return expected === undefined ? [] : [`${place(i)}: ${expected}`];
  });
  if (faults.length > 0) return faults;
  const urls = items.map((item) => new URL(item));
  const [first, servers] = [urls[0] as URL, urls.map(serverOf)];
  if (urls.some(({ protocol }) => protocol !== first.protocol))
    faults.push('TIDINGS_NATS_URL: expected only tls:// addresses or only nats:// addresses, got both');
  for (const [i, url] of urls.entries()) {
    if (credentialsOf(url) !== ':' && credentialsOf(url) !== credentialsOf(first))
      faults.push(`${place(i)}: expected no credentials, or the same ones as in the first address`);
    if (servers.indexOf(serverOf(url)) < i) faults.push(`${place(i)}: expected each server only once`);
  }
  return faults;
}

function itemsOf(natsUrl: string): string[] {
  return natsUrl.split(',').map((item) => item.trim());
}

/** Returns what is expected instead of an address; undefined if the address has no fault. */
function faultOf(item: string): string | undefined {
  if (item === '') return 'expected an address, got nothing between two commas, or before or after one';
  if (!/^(nats|tls):\/\//.test(item)) {
    return 'expected an address that begins with tls:// or nats://. Write a comma in a password as %2C';
  }
  if (!URL.canParse(item)) return hostWords;
  const url = new URL(item);
  if (url.hostname === '' || url.port === '0') return hostWords;
  if (url.pathname.length > 1 || url.search !== '' || url.hash !== '') {
    return 'expected an address that ends after the host and port, without a path';
  }
  return isEncoded(url.username) && isEncoded(url.password)
    ? undefined
    : 'expected credentials in percent-encoding, with %25 for a percent sign';
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function serverOf({ hostname, port }: URL): string {
  return `${hostname}:${port || defaultPort}`;
}

function credentialsOf({ username, password }: URL): string {
  return `${username}:${password}`;
}

/**
 * Restricts the processes of a fuzzed service to connections on loopback, and resolves no name except localhost. Each
 * process loads this file with `NODE_OPTIONS=--import`. The default of some settings is the address of a real service
 * on the internet. If a fuzzed request omits such a setting, the fuzzed service would otherwise connect to the real
 * service.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

type Callback = (error: NodeJS.ErrnoException | null, ...found: unknown[]) => void;

const isHere = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1|::ffff:127(\.\d+){3})$/.test(host);

function refusal(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND', hostname: host });
}

const { lookup } = dns;
const guardedLookup = (host: string, ...rest: unknown[]): void => {
  if (isHere(host)) return (lookup as (...all: unknown[]) => void)(host, ...rest);
  process.nextTick(rest.at(-1) as Callback, refusal(host));
};
Object.assign(dns, { lookup: Object.assign(guardedLookup, lookup) });

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]): net.Socket {
  // `net.connect` passes all its arguments as one array.
  const [first] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
  const options = typeof first === 'object' ? first : { host: typeof args[1] === 'string' ? args[1] : undefined };
  const { path, host } = options as net.TcpNetConnectOpts & net.IpcNetConnectOpts;
  if (path || host === undefined || isHere(host))
    return (connect as (...all: unknown[]) => net.Socket).apply(this, args);
  process.nextTick(() => this.destroy(refusal(host)));
  return this;
};
syncBuiltinESMExports();

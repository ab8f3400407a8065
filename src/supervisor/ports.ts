/**
 * Checks that the ports of the settings are free. The check runs before anything is started, so a start with a taken
 * port fails immediately.
 */
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '../../config/schema.ts';

/** Thrown when the service cannot listen on an address. */
export class PortError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PortError';
  }
}

/** An address to listen on, and the environment variables that set it. */
interface Address {
  host: string;
  port: number;
  hostVariable: string;
  portVariable: string;
}

/**
 * Checks that the API port and the operations port are free.
 * @throws PortError with the address and the setting to change
 */
export async function requireFreePorts({ host, port, opsHost, opsPort }: Settings): Promise<void> {
  await requireFree({ host, port, hostVariable: 'TIDINGS_HOST', portVariable: 'TIDINGS_PORT' });
  await requireFree({
    host: opsHost,
    port: opsPort,
    hostVariable: 'TIDINGS_OPS_HOST',
    portVariable: 'TIDINGS_OPS_PORT',
  });
}

/**
 * Pause between two checks of a taken port, in milliseconds. A taken port is checked several times, because the gateway
 * of a killed supervisor ends a little later than the supervisor.
 */
const pauseMs = 100;
const attempts = 5;

async function requireFree(address: Address): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const error = await listenOnce(address);
    if (!error) return;
    if (error.code !== 'EADDRINUSE' || attempt === attempts) throw portError(address, error);
    await pause(pauseMs);
  }
}

/**
 * Listens on an address and stops listening immediately. Returns the error if listening failed. Node does not set
 * SO_REUSEPORT, so listening also fails on a port that other processes share.
 */
async function listenOnce({ host, port }: Pick<Address, 'host' | 'port'>): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer();
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => resolve(undefined));
  });
  if (!error) await new Promise<void>((resolve) => server.close(() => resolve()));
  return error;
}

/** Returns a port of the address that is free now. */
export async function chooseFreePort(host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port: 0, exclusive: true }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** Returns an error for a port that the service cannot listen on. The message contains the cause and the remedy. */
export function portError(
  { host, port, hostVariable, portVariable }: Address,
  { code, message }: NodeJS.ErrnoException,
) {
  if (code === 'EADDRINUSE')
    return new PortError(`Port ${port} of ${host} is taken by another program. Set ${portVariable} to a free one.`);
  if (code === 'EACCES')
    return new PortError(
      `Port ${port} of ${host} is not allowed for this user. Set ${portVariable} to 1024 or higher.`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new PortError(
      `This machine does not have the address ${host}. Set ${hostVariable} to an address of this machine.`,
    );
  return new PortError(
    `The service cannot listen on port ${port} of ${host} (${code ?? message}). Change ${portVariable}.`,
  );
}

/**
 * Looks whether the ports of the settings are free before anything is started, so that a start on a taken one ends at once.
 */
import { createServer } from 'node:net';
import type { Settings } from '../config/schema.ts';

/** An address that cannot be listened on. */
export class PortError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PortError';
  }
}

/** Where to listen, and the settings that say so. */
interface Address {
  host: string;
  port: number;
  hostVariable: string;
  portVariable: string;
}

/** @throws PortError naming the address and the setting to change */
export async function requireFreePorts({ host, port, opsHost, opsPort }: Settings): Promise<void> {
  await requireFree({ host, port, hostVariable: 'TIDINGS_HOST', portVariable: 'TIDINGS_PORT' });
  await requireFree({
    host: opsHost,
    port: opsPort,
    hostVariable: 'TIDINGS_OPS_HOST',
    portVariable: 'TIDINGS_OPS_PORT',
  });
}

async function requireFree(address: Address): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address.host, port: address.port, exclusive: true }, resolve);
    });
  } catch (error) {
    throw portError(address, error as NodeJS.ErrnoException);
  }
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

/** What an error of listening means, and what to do about it. */
export function portError(
  { host, port, hostVariable, portVariable }: Address,
  { code, message }: NodeJS.ErrnoException,
) {
  if (code === 'EADDRINUSE')
    return new PortError(`Port ${port} of ${host} is taken by another program. Set ${portVariable} to a free one.`);
  if (code === 'EACCES')
    return new PortError(
      `Port ${port} of ${host} may not be used by this user. Set ${portVariable} to one from 1024 on.`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new PortError(`This machine does not have the address ${host}. Set ${hostVariable} to one that it has.`);
  return new PortError(`Port ${port} of ${host} cannot be listened on (${code ?? message}). Change ${portVariable}.`);
}

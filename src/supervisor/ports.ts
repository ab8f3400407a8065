/**
 * Looks whether the ports of the settings are free before anything is started, so that a start on a taken one ends at once.
 */
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '../../config/schema.ts';

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

/** A gateway whose supervisor was killed ends a moment later, so a taken port is tried again for that long. */
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

/** Listens for a moment; the error when that cannot be. */
async function listenOnce({ host, port }: Address): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer();
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => resolve(undefined));
  });
  if (!error) await new Promise<void>((resolve) => server.close(() => resolve()));
  return error;
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

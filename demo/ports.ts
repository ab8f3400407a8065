/**
 * Chooses the ports for a demo: the default ports, or another free port where a default port is in use.
 */
import { createServer } from 'node:net';

const defaults = { TIDINGS_PORT: 8080, TIDINGS_OPS_PORT: 9464, TIDINGS_NATS_PORT: 14_222 };

/** Returns the port settings to start with. Port settings from the environment are kept. */
export async function choosePorts(environment: Record<string, string | undefined>): Promise<Record<string, string>> {
  const chosen: Record<string, string> = {};
  for (const [name, port] of Object.entries(defaults)) {
    chosen[name] = environment[name] ?? String((await isFree(port)) ? port : await anyFree());
  }
  return chosen;
}

async function isFree(port: number): Promise<boolean> {
  return (await listen(port)) === port;
}

async function anyFree(): Promise<number> {
  return (await listen(0)) ?? 0;
}

/** Listens for a moment on a port. Returns the port, or undefined when it is in use. */
function listen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}

/**
 * Serves the operations port: /metrics (all processes together), /healthz (the supervisor runs) and /readyz (everything
 * is ready to serve). The supervisor serves the port itself, so the port answers even while a child is down.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { PartitionName } from '../foundation/partition-names.ts';
import { health, healthPath } from '../http/health.ts';
import type { PartitionPosition } from '../journal/freshness.ts';
import { portError } from './ports.ts';

/** The data that the operations port shows. */
export interface OpsSource {
  metrics: () => Promise<string>;
  /**
   * Names of the processes, and on a node of a cluster also of the partitions, that are not ready, and what they wait
   * for; empty if all are ready.
   */
  waitingFor: () => string[];
  /** The positions of all partitions on a node of a cluster; absent on one machine. */
  positions?: () => Record<PartitionName, PartitionPosition>;
}

/** A listening operations port. */
export interface OpsServer {
  readonly port: number;
  close(): void;
}

/**
 * Starts to listen on the operations port. With port 0, the system chooses a free port.
 * @throws PortError if the port cannot be listened on
 */
export async function startOps(host: string, port: number, source: OpsSource): Promise<OpsServer> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '/', source, response).catch(() => send(response, 500, 'text/plain', 'failed\n'));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(portError({ host, port, hostVariable: 'TIDINGS_OPS_HOST', portVariable: 'TIDINGS_OPS_PORT' }, error)),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : port, close: () => void server.close() };
}

async function answer(url: string, source: OpsSource, response: ServerResponse): Promise<void> {
  const [path] = url.split('?');
  if (path === '/metrics')
    return send(response, 200, 'text/plain; version=0.0.4; charset=utf-8', await source.metrics());
  if (path === healthPath) return json(response, 200, health);
  if (path === '/readyz') {
    const waitingFor = source.waitingFor();
    return json(response, waitingFor.length === 0 ? 200 : 503, {
      status: waitingFor.length === 0 ? 'ready' : 'waiting',
      waitingFor,
      ...(source.positions && { positions: source.positions() }),
    });
  }
  return json(response, 404, { error: 'Not found', message: 'This port serves /metrics, /healthz and /readyz.' });
}

function json(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, 'application/json', JSON.stringify(body));
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store', Connection: 'close' });
  response.end(body);
}

/**
 * Runs relays between one node and the NATS servers. A test cuts all of them at once: the node is then isolated, as behind
 * a broken network, and its connections stay open and silent.
 */
import { createConnection, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { afterwards } from '../cleanup.ts';
import { freePort } from '../ports.ts';

export class Cut {
  /** The addresses of the relays, one per server. */
  readonly urls: string[] = [];
  private readonly t: TestContext;
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(t: TestContext) {
    this.t = t;
  }

  /** Starts a relay for each server. They end when the test ends. */
  static async start(t: TestContext, urls: readonly string[]): Promise<Cut> {
    const cut = new Cut(t);
    for (const url of urls) await cut.relay(Number(new URL(url).port));
    return cut;
  }

  /** Forwards nothing from now on. New connections are accepted, but nothing answers them. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** Forwards again. Connections from before the cut are closed, as a network does that has forgotten them. */
  join(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.destroy();
  }

  private async relay(serverPort: number): Promise<void> {
    const port = await freePort();
    const listener = createServer((client) => {
      const server = createConnection(serverPort, '127.0.0.1');
      this.forward(client, server);
      this.forward(server, client);
    });
    await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
    afterwards(this.t, () => {
      for (const socket of this.sockets) socket.destroy();
      listener.close();
    });
    this.urls.push(`nats://127.0.0.1:${port}`);
  }

  private forward(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.pipe(to);
    if (this.isCut) from.pause();
    from.on('error', () => {});
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }
}

/**
 * Runs a proxy between a NATS client and a real nats-server without TLS. A test can change or drop single messages in
 * both directions, or freeze the proxy, as a machine that has stopped but whose connections are still open.
 */
import { createConnection, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { afterwards } from './cleanup.ts';
import { freePort } from './ports.ts';

/** One operation of the NATS protocol: its line, and the bytes that follow (headers and content of a message). */
export interface NatsFrame {
  line: string;
  bytes: string;
}

/**
 * Returns the bytes to send instead; undefined if the frame is dropped. Only the content of a message without headers may
 * have another length.
 */
type Change = (frame: NatsFrame) => string | undefined;

export interface NatsProxy {
  readonly port: number;
  /** Number of connections of clients that are open. */
  readonly connections: number;
  toServer: Change;
  toClient: Change;
  /** From now on, accepts connections and bytes but forwards nothing. */
  freeze(): void;
}

const withBytes = /^(PUB|HPUB|MSG|HMSG) .* (\d+)$/;

/** Starts a proxy for the server on `serverPort`. The proxy ends when the test ends. */
export async function startNatsProxy(t: TestContext, serverPort: number): Promise<NatsProxy> {
  const sockets = new Set<Socket>();
  let frozen = false;
  let connections = 0;
  const listener = createServer((client) => {
    const server = createConnection(serverPort, '127.0.0.1');
    connections += 1;
    client.once('close', () => {
      connections -= 1;
    });
    forward(client, server, (frame) => proxy.toServer(frame));
    forward(server, client, (frame) => proxy.toClient(frame));
  });
  const port = await freePort();
  await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
  afterwards(t, () => {
    for (const socket of sockets) socket.destroy();
    listener.close();
  });

  function forward(from: Socket, to: Socket, change: Change): void {
    sockets.add(from);
    const cut = framesOf();
    from.on('data', (chunk: Buffer) => {
      if (frozen) return;
      for (const frame of cut(chunk)) {
        const bytes = change(frame);
        if (bytes === undefined) continue;
        const isMessage = withBytes.test(frame.line);
        const line = isMessage ? frame.line.replace(/\d+$/, String(bytes.length)) : frame.line;
        to.write(Buffer.from(`${line}\r\n${isMessage ? `${bytes}\r\n` : ''}`, 'latin1'));
      }
    });
    from.on('error', () => {});
    from.on('close', () => to.destroy());
  }

  const proxy: NatsProxy = {
    port,
    get connections() {
      return connections;
    },
    toServer: ({ bytes }) => bytes,
    toClient: ({ bytes }) => bytes,
    freeze: () => {
      frozen = true;
    },
  };
  return proxy;
}

/** Returns a function that cuts the bytes of one direction of a connection into frames. */
function framesOf(): (chunk: Buffer) => NatsFrame[] {
  let rest = '';
  return (chunk) => {
    rest += chunk.toString('latin1');
    const frames: NatsFrame[] = [];
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      const line = rest.slice(0, end);
      const size = withBytes.exec(line)?.[2];
      const after = size === undefined ? end + 2 : end + 2 + Number(size) + 2;
      if (rest.length < after) break;
      frames.push({ line, bytes: size === undefined ? '' : rest.slice(end + 2, after - 2) });
      rest = rest.slice(after);
    }
    return frames;
  };
}

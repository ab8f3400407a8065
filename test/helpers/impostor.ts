/**
 * Runs an impostor: a program that takes the port of a nats-server and speaks NATS there, in plain text and over TLS.
 * It uses its own certificate for TLS. It records every byte that clients send.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/**
 * The bytes that one client sent. `raw` contains the bytes as received. `inside` contains the decrypted bytes, if the
 * client accepted the impostor's certificate.
 */
export interface Overheard {
  /**
   * How the impostor started the connection: with a plain greeting, with a greeting that requires TLS, or without a
   * greeting.
   */
  greeting: (typeof greetings)[number];
  raw: Buffer;
  inside: Buffer;
}

const greetings = ['clear', 'tls', 'none'] as const;

/** Reads a test certificate or key. Clients have no reason to trust this certificate. */
const fixture = (name: string): string =>
  readFileSync(new URL(`../../../test/fixtures/${name}`, import.meta.url), 'utf8');
const own = { cert: fixture('localhost-cert.pem'), key: fixture('localhost-key.pem') };

export class Impostor {
  readonly overheard: Overheard[] = [];
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;

  /** Takes the port as soon as it is free. Returns false when the port was not free within `ms` milliseconds. */
  async seize(port: number, ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (performance.now() < deadline) {
      const server = createServer((socket) => this.receive(socket));
      const taken = await new Promise<boolean>((resolve) => {
        server.once('error', () => resolve(false));
        server.listen(port, '127.0.0.1', () => resolve(true));
      });
      if (!taken) continue;
      this.server = server;
      return true;
    }
    return false;
  }

  /** Frees the port. */
  leave(): void {
    this.server?.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private receive(socket: Socket): void {
    const greeting = greetings[this.overheard.length % greetings.length] as Overheard['greeting'];
    const heard: Overheard = { greeting, raw: Buffer.alloc(0), inside: Buffer.alloc(0) };
    this.overheard.push(heard);
    this.sockets.add(socket);
    socket.on('error', () => {});
    const tunnel = new Duplex({
      read: () => {},
      write: (chunk, _, done) => void socket.write(chunk, () => done()),
    });
    tunnel.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      heard.raw = Buffer.concat([heard.raw, chunk]);
      // A TLS handshake starts with the byte 0x16.
      if (heard.raw.length === chunk.length && chunk[0] === 0x16) this.secure(tunnel, heard);
      if (heard.raw[0] === 0x16) tunnel.push(chunk);
      else reply(socket, chunk);
    });
    socket.on('close', () => tunnel.destroy());
    if (greeting !== 'none') greet(socket, greeting === 'tls');
  }

  private secure(tunnel: Duplex, heard: Overheard): void {
    const inside = new TLSSocket(tunnel, { isServer: true, ...own });
    inside.on('error', () => {});
    inside.on('secure', () => greet(inside, true));
    inside.on('data', (chunk: Buffer) => {
      heard.inside = Buffer.concat([heard.inside, chunk]);
      reply(inside, chunk);
    });
  }
}

/** Sends the greeting of a nats-server. */
function greet(to: Duplex, tls: boolean): void {
  const info = { server_id: 'N', version: '2.10.27', proto: 1, headers: true, max_payload: 8_388_608, jetstream: true };
  const asked = tls ? { tls_required: true } : {};
  to.write(`INFO ${JSON.stringify({ ...info, auth_required: true, nonce: 'a-nonce-to-sign', ...asked })}\r\n`);
}

/** Answers every PING, so that a client that trusts the impostor continues. */
function reply(to: Duplex, chunk: Buffer): void {
  for (const line of chunk.toString('latin1').split('\r\n')) if (line === 'PING') to.write('PONG\r\n');
}

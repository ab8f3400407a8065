/**
 * Starts a receiver that follows the rules of a real service. A test can plan other answers. Each planned answer is
 * used once, in order. After the planned answers, the receiver follows the rules again.
 */
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { type Answer, type Received, type Receiver, reset, startReceiver } from '../receiver.ts';

export interface RuledReply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export type Rule = (request: Received) => RuledReply;

export interface Ruled {
  receiver: Receiver;
  /** Plans the answers to the next requests. The planned answer `usual` means that the receiver follows its rules. */
  plan: (...answers: (Answer | 'usual')[]) => void;
  /**
   * Delays each request twice by a random time of up to `maxMs`: before it is carried out, and before the answer is
   * sent.
   */
  slow: (maxMs: number) => void;
  /** An answer for `plan`: the request is carried out, but the connection is reset before the answer is sent. */
  lost: Answer;
}

export async function startRuled(t: TestContext, rule: Rule, host?: string): Promise<Ruled> {
  const receiver = await startReceiver(t, host);
  const planned: (Answer | 'usual')[] = [];
  let maxMs = 0;
  receiver.answer = (request, reply) => {
    const next = planned.shift() ?? 'usual';
    if (next !== 'usual') return next(request, reply);
    if (maxMs === 0) return write(reply, rule(request));
    const pause = (): number => Math.random() * maxMs;
    setTimeout(() => {
      const answer = rule(request);
      setTimeout(() => write(reply, answer), pause());
    }, pause());
  };
  return {
    receiver,
    plan: (...answers) => planned.push(...answers),
    slow: (ms) => {
      maxMs = ms;
    },
    lost: (request, reply) => {
      rule(request);
      reset(request, reply);
    },
  };
}

/** Returns the body of a request, parsed as JSON; undefined when it is not valid JSON. */
export function jsonBody(request: Received): Record<string, unknown> | undefined {
  try {
    return JSON.parse(request.body) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Returns the names of a value's fields, except the names in `known`. */
export function unknownFields(value: object, known: readonly string[]): string[] {
  return Object.keys(value).filter((name) => !known.includes(name));
}

function write(reply: ServerResponse, { status, body, headers = {} }: RuledReply): void {
  const text = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  reply.writeHead(status, { 'content-type': type, ...headers }).end(text);
}

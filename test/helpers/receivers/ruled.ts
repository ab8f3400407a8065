/**
 * A receiver that keeps to the rules of a service, but for the answers that a test plans: each planned one is given once, in
 * order, before the rules answer again.
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
  /** Answers for the next requests; `usual` lets one pass. */
  plan: (...answers: (Answer | 'usual')[]) => void;
  /** Has each answer take a random time up to so many milliseconds, before and after the request is carried out. */
  slow: (longestMs: number) => void;
  /** For `plan`: the request is carried out, and the connection breaks before the answer. */
  lost: Answer;
}

export async function startRuled(t: TestContext, rule: Rule): Promise<Ruled> {
  const receiver = await startReceiver(t);
  const planned: (Answer | 'usual')[] = [];
  let longestMs = 0;
  receiver.answer = (request, reply) => {
    const next = planned.shift() ?? 'usual';
    if (next !== 'usual') return next(request, reply);
    if (longestMs === 0) return write(reply, rule(request));
    const pause = (): number => Math.random() * longestMs;
    setTimeout(() => {
      const answer = rule(request);
      setTimeout(() => write(reply, answer), pause());
    }, pause());
  };
  return {
    receiver,
    plan: (...answers) => planned.push(...answers),
    slow: (ms) => {
      longestMs = ms;
    },
    lost: (request, reply) => {
      rule(request);
      reset(request, reply);
    },
  };
}

/** The body of a request as JSON; undefined when it is none. */
export function jsonBody(request: Received): Record<string, unknown> | undefined {
  try {
    return JSON.parse(request.body) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Names of fields that the service does not know. */
export function unknownFields(value: object, known: readonly string[]): string[] {
  return Object.keys(value).filter((name) => !known.includes(name));
}

function write(reply: ServerResponse, { status, body, headers = {} }: RuledReply): void {
  const text = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  reply.writeHead(status, { 'content-type': type, ...headers }).end(text);
}

/** Defines a route of the API: its request, its reply, and the contract that the OpenAPI document is made from. */
import type { TObject } from '@sinclair/typebox';
import type { Exchange } from '../http/exchange.ts';
import type { Method } from '../http/server.ts';
import type { Scope } from '../protocol/commands.ts';
import type { Contract } from '../protocol/resources/contract.ts';
import type { Partition } from '../store/partition.ts';
import type { Caller } from './authenticate.ts';
import type { ApiContext, Use } from './context.ts';
import type { Quotas } from './quotas.ts';
import type { UsageMeter } from './usage.ts';

/** A request whose caller is known and whose query is checked. `body` is parsed JSON, not yet checked. */
export interface ApiRequest<Query = Record<string, never>> {
  context: ApiContext;
  caller: Caller;
  directory: Partition;
  params: readonly string[];
  headers: Readonly<Record<string, string>>;
  query: Query;
  body: unknown;
  /** Whether the request is in test mode. Then nothing may be written, and a made-up reply is sent. */
  test: boolean;
  /** The Idempotency-Key of the request. It is sent with the command that the request causes. */
  once: Use | undefined;
  usage: UsageMeter;
  quotas: Quotas;
}

/**
 * A reply. Its body is a value to encode as JSON, or JSON bytes that are ready to send. Its headers are a flat list of
 * names and values, such as `['Vary', 'Origin', 'Cache-Control', 'no-store']`.
 */
export interface ApiReply {
  status: number;
  body: Buffer | object;
  headers?: readonly string[];
  /** ETag of the body. If the reply to a GET lacks this field, the ETag is computed from the bytes of the body. */
  etag?: string;
  /**
   * Sends the reply instead, as a stream. `admitAgain` authenticates the request again and throws if its key is not
   * valid any more.
   */
  stream?: (exchange: Exchange, admitAgain: () => Caller) => void;
}

/** One entry of the route table. */
export interface ApiRoute<Query = Record<string, never>> {
  method: Method;
  path: string;
  operation: string;
  /** Describes the bodies and replies of the route. The OpenAPI document is made from this description. */
  contract: Contract;
  /** The scope that the key needs; null = a key with any scope may use the route. */
  scope: Scope | null;
  query: TObject;
  /**
   * The checks of the handler that need only the body. In test mode, a request with a made-up id runs only these
   * checks, not the handler.
   */
  checkBody?: (body: unknown) => unknown;
  /**
   * Makes the write of the route safe to repeat. Without this field, an Idempotency-Key is checked but has no effect.
   */
  once?: Repeatable;
  handle(request: ApiRequest<Query>): ApiReply | Promise<ApiReply>;
}

/** How a route makes its writes safe to repeat. */
export interface Repeatable {
  /**
   * Returns an id, such as a repository's id. The result of the write is stored in the partition of this id. For writes
   * that concern several repositories, returns `directory` instead of an id.
   */
  home: (request: ApiRequest) => unknown;
  /** Makes the reply to a repeated request from the stored result. */
  reply: (value: unknown, request: ApiRequest) => ApiReply;
}

/**
 * Generates requests from the OpenAPI document only. Most requests are valid and contain ids of existing objects. The
 * other requests have one fault. A new operation in the document is fuzzed without a change in this file.
 */
import { type Document, type Operation, operations, resolve } from '../contract.ts';
import { pick, type Random } from '../random.ts';
import { hostileTexts, hostileValue, rawBody, withOneChanged, withOneMissing, withOneMore } from './hostile.ts';
import { type Maker, prefixOf, valueFor } from './values.ts';
import { type Caller, type Org, orgs, type World } from './world.ts';

/** A request as it is sent; it can be sent again unchanged. */
export interface FuzzRequest {
  operation: Operation;
  caller: Caller;
  path: string;
  /** Path and query. */
  url: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/**
 * Selects one id of a request. This id is replaced by an id of the organization `org`. `at` is the position of the
 * selected id among all ids of the request, counted from 0. `picked` is the number of ids that the request contains so
 * far.
 */
interface Trespass {
  org: Org;
  at: number;
  picked: number;
  /** Path parameters that are not ids, for example the channel. */
  params: Record<string, unknown>;
  /**
   * Name of the optional query parameter in the request. The value of the parameter is an id. Undefined for a request
   * without optional query parameters.
   */
  named: string | undefined;
}

/**
 * Operations that have tests of their own: the receipt of host webhooks, the stream of events, which does not end, and the
 * operations on sessions. A client can sign in only five times per minute.
 */
const others: readonly string[] = ['receiveWebhook', 'streamEvents'];
const asked = operations.filter(
  ({ definition: { operationId, tags } }) => !others.includes(operationId) && !tags.includes('Sessions'),
);
export const writes: readonly Operation[] = asked.filter(({ method }) => method !== 'GET');
const reads = asked.filter(({ method }) => method === 'GET');
/**
 * The write operations to draw from. DELETE operations are less frequent, so that objects exist long enough to be used.
 */
const drawn = writes.flatMap((operation) => Array<Operation>(operation.method === 'DELETE' ? 1 : 3).fill(operation));
const fieldNames = [...new Set(writes.flatMap((write) => Object.keys(bodyOf(write)?.schema.properties ?? {})))];
const contentTypes = ['application/json; charset=utf-8', 'APPLICATION/JSON', 'text/plain', 'application/jsonx', ''];
const junkHeaders = ['', '"', '"a", *', 'x'.repeat(300), 'W/', '\u00e9', '"1-x"', 'true', '0'];

/** Generates requests. Each request uses the objects that are known when the request is generated. */
export class RequestMaker {
  private readonly random: Random;
  private readonly world: World;
  /** Earlier requests that had an Idempotency-Key and may be sent again. */
  private readonly repeatable: FuzzRequest[] = [];
  private keys = 0;

  constructor(random: Random, world: World) {
    this.random = random;
    this.world = world;
  }

  /**
   * Returns a request with the key of one of the callers.
   * @param wanted ids of operations that are requested more often than the others
   */
  next(callers: readonly Caller[], wanted: readonly string[] = []): FuzzRequest {
    const { random } = this;
    const caller = pick(random, callers);
    const rare = writes.filter(({ definition }) => wanted.includes(definition.operationId));
    if (rare.length > 0 && random(8) === 0) return this.make(caller, pick(random, rare));
    const earlier = random(25) === 0 ? this.earlier(caller) : undefined;
    if (earlier) return earlier;
    const request = this.make(caller, random(8) === 0 ? pick(random, reads) : pick(random, drawn));
    if (request.headers['Idempotency-Key'] === undefined) return request;
    this.repeatable.push(request);
    if (this.repeatable.length > 100) this.repeatable.shift();
    return request;
  }

  /**
   * Returns requests in which a caller uses one id of another organization, `org`. Apart from this id, the requests are
   * valid. They cover all write operations. For each place where an operation takes an id, at least one request has an
   * id of `org` in that place. This includes optional query parameters. Some operations have a path parameter that is
   * not an id, for example the channel. For these operations, the requests are repeated with each known value of that
   * parameter.
   */
  trespasses(caller: Caller, org: Org): FuzzRequest[] {
    return writes.flatMap((operation) => {
      const parameters: Document[] = operation.definition.parameters.map(resolve);
      const optional = parameters.filter((each) => each.in === 'query' && prefixOf(each.name, each.example));
      const choices = this.choicesOf(parameters);
      return [undefined, ...optional.map(({ name }) => name as string)].flatMap((named) =>
        choices.flatMap((params) => this.withOneForeign(caller, operation, { org, params, named })),
      );
    });
  }

  private withOneForeign(
    caller: Caller,
    operation: Operation,
    place: Pick<Trespass, 'org' | 'params' | 'named'>,
  ): FuzzRequest[] {
    const made: FuzzRequest[] = [];
    for (let at = 0; at <= made.length; at++) {
      const trespass = { ...place, at, picked: 0 };
      const request = this.make(caller, operation, trespass);
      if (trespass.picked > at) made.push(request);
    }
    return made;
  }

  /**
   * Finds the path parameter whose value is not an id. Returns one object for each known value of this parameter, or a
   * single empty object if no value is known.
   */
  private choicesOf(parameters: readonly Document[]): Record<string, unknown>[] {
    const free = parameters.find((each) => each.in === 'path' && !prefixOf(each.name, each.example));
    const values = free ? (this.world.known[free.name] ?? []) : [];
    return values.length > 0 ? values.map((value) => ({ [free?.name]: value })) : [{}];
  }

  /** Returns a request for one operation. */
  make(caller: Caller, operation: Operation, trespass?: Trespass): FuzzRequest {
    const { random } = this;
    const org = caller.org ?? pick(random, orgs);
    const parameters: Document[] = operation.definition.parameters.map(resolve);
    const maker = this.maker(org, caller, 4, trespass);
    const params = this.paramsOf(maker, parameters, trespass);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(params[name]));
    const query = trespass ? namedIn(maker, parameters, trespass) : this.queryOf(maker, parameters, caller);
    const headers = trespass ? {} : this.headersOf(maker, parameters, path);
    if (caller.key !== undefined) headers.authorization = `Bearer ${caller.key}`;
    const body = trespass
      ? encodedIfAny(this.validBody(org, caller, operation, params, trespass))
      : this.bodyFor(org, caller, operation, params);
    if (body) {
      const type = !trespass && random(40) === 0 ? pick(random, contentTypes) : 'application/json';
      if (type !== '') headers['content-type'] = type;
    }
    return { operation, caller, path, url: query === '' ? path : `${path}?${query}`, headers, body };
  }

  /** Returns a valid body for an operation; undefined when the operation takes no body. */
  validBody(
    org: Org,
    caller: Caller,
    operation: Operation,
    params: Record<string, unknown> = {},
    trespass?: Trespass,
  ): unknown {
    const content = bodyOf(operation);
    if (!content) return undefined;
    const { random } = this;
    // The channel determines which `settings` are valid. In the document, the title of each `settings` schema is the
    // name of a channel.
    const form = (field: string, forms: readonly Document[]): Document | undefined =>
      field === 'settings' ? forms.find(({ title }) => title === params.channel) : undefined;
    const body = valueFor(
      { ...this.maker(org, caller, pick(random, [0, 3, 5, 9]), trespass), form },
      content.schema,
      '',
      content.example,
    );
    return caller.org === null ? this.forInstance(body, content.schema, org) : body;
  }

  /**
   * Adds the organization to a body when the schema has an `org` field. A request with an instance key must name the
   * organization that will own the object.
   */
  private forInstance(body: unknown, schema: Document, org: Org): unknown {
    const named = schema.properties?.org === undefined ? {} : { org };
    return { ...(body as object), ...named };
  }

  /**
   * Returns an earlier request of the same caller. Its Idempotency-Key is unchanged. Its body is sometimes replaced by
   * another body.
   */
  private earlier(caller: Caller): FuzzRequest | undefined {
    const { random } = this;
    const own = this.repeatable.filter((request) => request.caller === caller);
    if (own.length === 0) return undefined;
    const request = pick(random, own);
    if (random(3) > 0 || !request.body) return request;
    return { ...request, body: this.bodyFor(caller.org ?? 'acme', caller, request.operation, {}) };
  }

  private maker(org: Org, caller: Caller, optional = 4, trespass?: Trespass): Maker {
    const { random, world } = this;
    const known = (field: string) => world.knownOf[org][field] ?? world.known[field];
    const id = (prefix: string): string => {
      if (trespass === undefined) return world.idFor(random, org, prefix, caller.kind !== 'instance');
      const isForeign = trespass.picked++ === trespass.at;
      const ids = world.living(isForeign ? trespass.org : org, prefix);
      return ids.length > 0 ? pick(random, ids) : world.idFor(random, org, prefix, false);
    };
    // Requests with an instance key contain no marker. Such a request can write to both organizations, so a marker of
    // one organization could appear in data of the other organization.
    const words = caller.org === null ? 'of the instance' : `of ${[...world.markers[org]][0]}`;
    return { random, id, known, text: (max) => this.text(words, max), optional };
  }

  /**
   * Returns text that most text fields of a request allow. The text sometimes contains `words`, which identify the
   * sender of the request.
   */
  private text(words: string, maxLength: number): string {
    const { random } = this;
    const pieces = ['Notes', words, '# News\n\n- One\n', 'für alle', '漢字 😀', 'v1.1.0'];
    const text = Array.from({ length: 1 + random(4) }, () => pick(random, pieces)).join(' ');
    return text.slice(0, maxLength).toWellFormed() || 'x';
  }

  private paramsOf(maker: Maker, parameters: readonly Document[], trespass?: Trespass): Record<string, unknown> {
    const { random, world } = this;
    const params: Record<string, unknown> = { ...trespass?.params };
    for (const { name, schema, example } of parameters.filter((each) => each.in === 'path')) {
      const isHostile = !trespass && random(60) === 0;
      params[name] ??= isHostile ? hostileValue(random) : valueFor(maker, schema, name, example);
    }
    // Uses the endpoint of the chosen delivery. If delivery and endpoint were drawn independently, they would rarely
    // belong together.
    const home = world.homes.get(params.deliveryId as string);
    const isTogether = trespass ? trespass.at > 0 : random(10) > 0;
    if (home !== undefined && isTogether) params.endpointId = home;
    return params;
  }

  private queryOf(maker: Maker, parameters: readonly Document[], caller: Caller): string {
    const { random } = this;
    const query = new URLSearchParams();
    for (const { name, schema, required, example } of parameters.filter((each) => each.in === 'query')) {
      const isAsked = required || random(10) < 4 || (name === 'orgId' && caller.org === null);
      if (isAsked)
        query.append(name, textOf(random(30) === 0 ? hostileValue(random) : valueFor(maker, schema, name, example)));
    }
    if (random(60) === 0)
      query.append(pick(random, ['__proto__', '', 'x', 'limit', 'orgId']), pick(random, hostileTexts).toWellFormed());
    return query.toString();
  }

  private headersOf(maker: Maker, parameters: readonly Document[], path: string): Record<string, string> {
    const { random, world } = this;
    const headers: Record<string, string> = {};
    for (const { name, schema } of parameters.filter((each) => each.in === 'header')) {
      const value = this.headerOf(name, maker, schema, world.etags.get(path));
      if (value !== undefined) headers[name] = random(60) === 0 ? pick(random, junkHeaders) : value;
    }
    return headers;
  }

  private headerOf(name: string, maker: Maker, schema: Document, etag: string | undefined): string | undefined {
    const { random } = this;
    if (name === 'If-Match' || name === 'If-None-Match')
      return random(3) > 0 ? undefined : pick(random, [etag, etag, etag, '*', '"1-AAAAAAAAAAAAAAAAAAAAAA"', 'W/"1-x"']);
    if (name === 'Idempotency-Key')
      return random(3) > 0 ? undefined : `key ${random(12) === 0 ? random(20) : this.keys++}`;
    if (name === 'X-Test-Mode') return random(20) === 0 ? 'true' : undefined;
    return random(10) === 0 ? `r${textOf(valueFor(maker, schema, name)).replace(/\W/g, '')}` : undefined;
  }

  private bodyFor(org: Org, caller: Caller, operation: Operation, params: Record<string, unknown>): Buffer | undefined {
    const { random } = this;
    const content = bodyOf(operation);
    if (!content) return random(20) === 0 ? Buffer.from('{"a":1}') : undefined;
    const body = this.validBody(org, caller, operation, params);
    const chance = random(100);
    if (chance < 70) return encoded(body);
    if (chance < 84) return encoded(withOneChanged(random, body, content.schema));
    if (chance < 88) return encoded(withOneMissing(random, body));
    if (chance < 92) return encoded(withOneMore(random, body, fieldNames));
    if (chance < 93) return encoded(hostileValue(random));
    return rawBody(random, body);
  }
}

function bodyOf({ definition }: Operation): Document | undefined {
  return definition.requestBody?.content['application/json'];
}

/**
 * Returns the query of a trespass, which is a request with an id of the other organization. The query contains the
 * required parameters and the optional parameter `named`.
 */
function namedIn(maker: Maker, parameters: readonly Document[], { named }: Trespass): string {
  const asked = parameters.filter((each) => each.in === 'query' && (each.required || each.name === named));
  return asked
    .map(({ name, schema, example }) => `${name}=${textOf(valueFor(maker, schema, name, example))}`)
    .join('&');
}

function encodedIfAny(value: unknown): Buffer | undefined {
  return value === undefined ? undefined : encoded(value);
}

function encoded(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? '');
}

/** Encodes a path segment. Empty segments, `.` and `..` are replaced, because they would change the path. */
function segment(value: unknown): string {
  const text = encodeURIComponent(textOf(value));
  return text === '' || text === '.' || text === '..' ? 'x' : text;
}

function textOf(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed();
}

/**
 * Makes requests from the OpenAPI document alone: most of them valid, with ids of objects that exist, others with one thing
 * wrong. An operation that is added to the document is asked without a change here.
 */
import { type Document, type Operation, operations, resolve } from '../contract.ts';
import { pick, type Random } from '../random.ts';
import { hostileTexts, hostileValue, rawBody, withOneChanged, withOneMissing, withOneMore } from './hostile.ts';
import { type Maker, prefixOf, valueFor } from './values.ts';
import { type Caller, type Org, orgs, type World } from './world.ts';

/** A request as it is sent; it can be sent again as it is. */
export interface FuzzRequest {
  operation: Operation;
  caller: Caller;
  path: string;
  /** Path and query. */
  url: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** Which of a request's ids, counted from 0, is one of another organisation; `picked` counts them. */
interface Trespass {
  org: Org;
  at: number;
  picked: number;
  /** Parameters of the path that are no ids, such as the channel. */
  params: Record<string, unknown>;
  /** The one optional id of the query that is named. */
  named: string | undefined;
}

/** What hosts send has tests of its own. */
const asked = operations.filter(({ definition }) => definition.operationId !== 'receiveWebhook');
export const writes: readonly Operation[] = asked.filter(({ method }) => method !== 'GET');
const reads = asked.filter(({ method }) => method === 'GET');
/** Objects are deleted less often than they are made and used. */
const drawn = writes.flatMap((operation) => Array<Operation>(operation.method === 'DELETE' ? 1 : 3).fill(operation));
const fieldNames = [...new Set(writes.flatMap((write) => Object.keys(bodyOf(write)?.schema.properties ?? {})))];
const contentTypes = ['application/json; charset=utf-8', 'APPLICATION/JSON', 'text/plain', 'application/jsonx', ''];
const junkHeaders = ['', '"', '"a", *', 'x'.repeat(300), 'W/', '\u00e9', '"1-x"', 'true', '0'];

/** Makes requests, each from what is known of the service at that moment. */
export class RequestMaker {
  private readonly random: Random;
  private readonly world: World;
  /** Requests that carried an Idempotency-Key, to be sent again. */
  private readonly repeatable: FuzzRequest[] = [];
  private keys = 0;

  constructor(random: Random, world: World) {
    this.random = random;
    this.world = world;
  }

  /**
   * A request with one of the callers' keys.
   * @param wanted ids of operations that are asked more often than the others
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
   * Valid requests of an organisation for what belongs to the other one: for each write operation, each of its ids, those that
   * are optional too, and each known value of its path, one in which that id alone is foreign.
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

  /** Each known value of a parameter of the path that is no id; one without any where there is none. */
  private choicesOf(parameters: readonly Document[]): Record<string, unknown>[] {
    const free = parameters.find((each) => each.in === 'path' && !prefixOf(each.name, each.example));
    const values = free ? (this.world.known[free.name] ?? []) : [];
    return values.length > 0 ? values.map((value) => ({ [free?.name]: value })) : [{}];
  }

  /** A request of one operation. */
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

  /** A valid body of an operation; undefined when it takes none. */
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
    // Which settings fit depends on the channel; the document names each form after its channel.
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

  /** A key of the instance has to say whose object it makes. */
  private forInstance(body: unknown, schema: Document, org: Org): unknown {
    const named = schema.properties?.org === undefined ? {} : { org };
    return { ...(body as object), ...named };
  }

  /** An earlier request of the same caller: as it was, or with the same Idempotency-Key and another body. */
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
    // A key of the instance writes to both: a marker would then be found where it does not belong.
    const words = caller.org === null ? 'of the instance' : `of ${[...world.markers[org]][0]}`;
    return { random, id, known, text: (most) => this.text(words, most), optional };
  }

  /** Text that fits most fields; at times with words by which its owner can be known. */
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
    // Two ids picked by themselves hardly ever belong together.
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

/** The query of a trespass: what it must have, and the one id that it names. */
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

/** Empty segments and dots would make another path. */
function segment(value: unknown): string {
  const text = encodeURIComponent(textOf(value));
  return text === '' || text === '.' || text === '..' ? 'x' : text;
}

function textOf(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed();
}

/**
 * Converts the shapes of the protocol to plain JSON Schema (2020-12) for the OpenAPI document. Named shapes become
 * references, and unions of constants become enums. Also makes an example of each shape.
 */
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

export type JsonSchema = Record<string, unknown>;

/** Converts shapes to JSON Schema. Shapes in `components` become references. */
export class SchemaWriter {
  private readonly names: ReadonlyMap<unknown, string>;

  constructor(components: Readonly<Record<string, TSchema>>) {
    this.names = new Map(Object.entries(components).map(([name, schema]) => [schema, name]));
  }

  /** Converts the shape of a reply. A named shape becomes a reference. */
  reply(schema: TSchema): JsonSchema {
    const name = this.names.get(schema);
    return name === undefined ? this.whole(schema) : { $ref: `#/components/schemas/${name}` };
  }

  /** Converts a shape in full, even if the shape has a name. Named parts of the shape become references. */
  whole(schema: TSchema): JsonSchema {
    return write(schema, (part) => this.reply(part));
  }

  /** Converts the shape of a request. Fields with a default are optional. */
  request(schema: TSchema): JsonSchema {
    const name = this.names.get(schema);
    // Components are shapes of replies. A component requires the fields with defaults, but a request may omit these
    // fields. Therefore, the shape of a request with defaults is written in full and not as a reference.
    if (name !== undefined && !hasDefaults(schema)) return { $ref: `#/components/schemas/${name}` };
    const written = write(schema, (part) => this.request(part));
    const properties = (schema.properties ?? {}) as Record<string, TSchema>;
    if (!Array.isArray(written.required)) return written;
    const required = written.required.filter((name: string) => properties[name]?.default === undefined);
    const { required: _, ...rest } = written;
    return required.length > 0 ? { ...rest, required } : rest;
  }
}

function hasDefaults(schema: TSchema): boolean {
  const properties = Object.values((schema.properties ?? {}) as Record<string, TSchema>);
  return properties.some((property) => property.default !== undefined);
}

function write(schema: TSchema, part: (schema: TSchema) => JsonSchema): JsonSchema {
  const { anyOf, items, properties, patternProperties, ...rest } = schema as JsonSchema & {
    anyOf?: TSchema[];
    items?: TSchema;
    properties?: Record<string, TSchema>;
    patternProperties?: Record<string, TSchema>;
  };
  // `Object.entries` omits the symbol keys of the shape. Only TypeBox itself uses them.
  const written: JsonSchema = Object.fromEntries(Object.entries(rest));
  // If an object has a default, TypeBox states the default as `{}`. The document states the defaults of all fields of
  // the object.
  if (properties && written.default !== undefined) written.default = Value.Default(schema, {});
  if (anyOf) Object.assign(written, union(anyOf, part));
  if (items) written.items = part(items);
  if (properties) written.properties = mapValues(properties, part);
  const [[pattern = '', values] = []] = Object.entries(patternProperties ?? {});
  if (values) Object.assign(written, pattern === '^(.*)$' ? { additionalProperties: part(values) } : {});
  if (values && pattern !== '^(.*)$') written.patternProperties = { [pattern]: part(values) };
  return written;
}

function union(members: readonly TSchema[], part: (schema: TSchema) => JsonSchema): JsonSchema {
  if (members.every((member) => typeof member.const === 'string')) {
    return { type: 'string', enum: members.map((member) => member.const) };
  }
  const [first, second] = members;
  const one = first && part(first);
  const isNullable = members.length === 2 && second?.type === 'null';
  if (one && isNullable && typeof one.type === 'string' && !one.enum) return { ...one, type: [one.type, 'null'] };
  return { anyOf: members.map(part) };
}

function mapValues(values: Record<string, TSchema>, part: (schema: TSchema) => JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, part(value)]));
}

/**
 * Makes an example value for a shape. The examples of the shape's parts are used. An optional field is included when it
 * has an example.
 */
export function exampleOf(schema: TSchema): unknown {
  if (schema.examples) return (schema.examples as unknown[])[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf) return exampleOf((schema.anyOf as TSchema[])[0] as TSchema);
  if (schema.type === 'object') return objectExample(schema);
  if (schema.default !== undefined) return schema.default;
  if (schema.type === 'array') return [exampleOf(schema.items as TSchema)];
  if (schema.type === 'integer' || schema.type === 'number') return (schema.minimum as number | undefined) ?? 1;
  if (schema.type === 'boolean') return true;
  return 'text';
}

function objectExample(schema: TSchema): object {
  const required = (schema.required ?? []) as string[];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, TSchema>);
  const shown = properties.filter(([name, value]) => required.includes(name) || value.examples);
  return Object.fromEntries(shown.map(([name, value]) => [name, exampleOf(value)]));
}

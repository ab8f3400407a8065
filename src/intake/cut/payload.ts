/**
 * Parses the payloads of deliveries. Only the fields that the schema of the event names are parsed, but the whole body
 * must be valid JSON.
 */
import { payloadSchemas } from '../events.ts';
import { parseJson } from '../json.ts';
import { type Cut, Cutter, readModule } from './cutter.ts';
import { treeOf } from './tree.ts';

/** The cutting functions by event. Empty on a processor without the vector instructions of WebAssembly. */
const cuts: ReadonlyMap<string, Cut> = readCuts();

function readCuts(): ReadonlyMap<string, Cut> {
  const module = readModule();
  if (!module) return new Map();
  const cutter = new Cutter(module);
  return new Map([...payloadSchemas].map(([event, schema]) => [event, cutter.cutBy(treeOf(schema))]));
}

/**
 * Parses the payload of an event. The payload has all fields that the schema of the event names. It may lack the other
 * fields. An event without a schema is parsed as a whole, and so is a body that the cutter does not judge: one that is
 * not a JSON object, is longer than 1 MiB, or is nested more than 1,024 deep.
 * @param event the host's name of the event
 * @param body UTF-8 text; invalid bytes become U+FFFD
 * @throws SyntaxError when the body is not valid JSON
 */
export function parsePayload(event: string, body: Buffer): unknown {
  return parseJson(cuts.get(event)?.(body) ?? body.toString('utf8'));
}

/**
 * Cuts fields out of JSON texts with the WebAssembly module of `wasm/payload/`, which set-up compiles.
 */
import { readFileSync } from 'node:fs';
import type { Tree } from './tree.ts';

/** What the module exports. `wasm/payload/layout.ts` and `wasm/payload/tree.ts` describe the numbers. */
interface ModuleExports {
  memory: { buffer: ArrayBuffer };
  input: ExportedNumber;
  output: ExportedNumber;
  maxBytes: ExportedNumber;
  trees: ExportedNumber;
  treeBytes: ExportedNumber;
  headerBytes: ExportedNumber;
  fieldBytes: ExportedNumber;
  maxName: ExportedNumber;
  cutPayload: (length: number, tree: number) => number;
}

interface ExportedNumber {
  value: number;
}

/** The part of Node's WebAssembly that is used here. The types of Node 20 do not declare it. */
declare const WebAssembly: {
  validate: (bytes: Uint8Array) => boolean;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: ModuleExports };
};

/** Cuts a text by one tree. Returns undefined if the text must be parsed as a whole. */
export type Cut = (text: Buffer) => string | undefined;

/** In the module's trees: keep the value as it is. */
const wholeNode = 1;

/** An instance of the module with its trees. */
export class Cutter {
  private readonly exports: ModuleExports;
  private readonly memory: Buffer;
  /** Where the next node is written. */
  private end: number;

  constructor(module: Uint8Array) {
    this.exports = new WebAssembly.Instance(new WebAssembly.Module(module)).exports;
    this.memory = Buffer.from(this.exports.memory.buffer);
    this.end = this.exports.trees.value;
  }

  /**
   * Returns the function that cuts texts by `tree`. The tree stays in the module's memory.
   * @throws RangeError when the module has no room for the tree, or a name is too long
   */
  cutBy(tree: Tree): Cut {
    const node = this.write(tree);
    if (node === wholeNode) return () => undefined;
    const { exports, memory } = this;
    const [input, output, maxBytes] = [exports.input.value, exports.output.value, exports.maxBytes.value];
    return (text) => {
      if (text.length > maxBytes) return undefined;
      memory.set(text, input);
      const length = exports.cutPayload(text.length, node);
      return length < 0 ? undefined : memory.toString('utf8', output, output + length);
    };
  }

  /** Writes a tree to the module's memory and returns the address of its node. */
  private write(tree: Tree | undefined): number {
    if (tree === undefined || typeof tree === 'string') return wholeNode;
    const { headerBytes, fieldBytes, maxName } = this.exports;
    const items = this.write(tree.items);
    const fields = [...(tree.fields ?? [])]
      .map(([name, value]) => ({ name: Buffer.from(name), node: this.write(value) }))
      .sort((a, b) => a.name.length - b.name.length);
    const node = this.reserve(headerBytes.value + fieldBytes.value * fields.length);
    this.memory.writeUInt32LE(items, node);
    for (let length = 0; length <= maxName.value + 1; length += 1) {
      const shorter = fields.filter(({ name }) => name.length < length).length;
      this.memory.writeUInt8(shorter, node + 4 + length);
    }
    for (const [i, { name, node: value }] of fields.entries()) {
      if (name.length > maxName.value) throw new RangeError(`the name "${name}" of a field is too long to be cut out`);
      const field = node + headerBytes.value + fieldBytes.value * i;
      this.memory.writeUInt32LE(value, field);
      this.memory.set(name, field + 8);
    }
    return node;
  }

  private reserve(bytes: number): number {
    const start = this.end;
    this.end += bytes;
    if (this.end > this.exports.trees.value + this.exports.treeBytes.value)
      throw new RangeError('the trees of names do not fit into the memory of the cutter');
    return start;
  }
}

/** Reads the compiled module; undefined if this processor lacks the vector instructions that the module needs. */
export function readModule(): Uint8Array | undefined {
  const module = readFileSync(new URL('./payload.wasm', import.meta.url));
  return WebAssembly.validate(module) ? module : undefined;
}

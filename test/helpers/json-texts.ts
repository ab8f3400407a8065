/**
 * Generates JSON texts of any spelling: blanks, escapes, repeated names, numbers of all forms, deep nesting. Also
 * damages texts.
 */
import fc from 'fast-check';

const blanks = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  { weight: 3, arbitrary: fc.constantFrom(' ', '\n', '\r\n', '\t', '\n  ', ' '.repeat(70)) },
);

/** Pieces of a text between quotes. Some need several bytes in UTF-8, and some end with a backslash that is escaped. */
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z:,{}[\] /']{0,12}$/) },
  { weight: 2, arbitrary: fc.constantFrom('\\"', '\\\\', '\\/', '\\n', '\\r\\n', '\\t', '\\b\\f') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\\u0041', '\\ud83d\\ude00', '\\uD83D', '\\u0000', 'é', '日本', '😀', '\u007f'),
  },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(63), 'y'.repeat(64), 'z'.repeat(200), '\\\\'.repeat(70)) },
);
const quoted = fc.array(piece, { maxLength: 6 }).map((pieces) => `"${pieces.join('')}"`);

const numbers = fc.oneof(
  fc.constantFrom('0', '-0', '7', '-12', '0.5', '1e9', '1E+2', '-1.25e-7', '9007199254740993', '-9007199254740993'),
  fc.integer({ min: 0, max: 1e9 }).map(String),
  fc.stringMatching(/^[1-9]\d{14,40}$/),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
);

const scalars = fc.oneof(quoted, numbers, fc.constantFrom('true', 'false', 'null', '{}', '[]'));

/** Writes a name with the escape sequence of its first character. */
export function escapedName(name: string): string {
  return `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`;
}

/**
 * Returns texts of JSON objects.
 * @param names names that occur often
 * @param hasEscapedNames whether names may be spelt with escape sequences
 */
export function jsonObjects(names: readonly string[], hasEscapedNames = false): fc.Arbitrary<string> {
  const plain = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...names) },
    { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', '', 'toString', 'x'.repeat(33), 'é') },
    { weight: 1, arbitrary: fc.stringMatching(/^[a-z_:,{}]{0,40}$/) },
  );
  const name = hasEscapedNames ? fc.oneof(plain, fc.constantFrom(...names).map(escapedName)) : plain;
  const { object } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
    value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalars, tie('object'), tie('array')),
    object: fc
      .array(fc.tuple(blanks, name, blanks, blanks, tie('value'), blanks), { maxLength: 8 })
      .map((members) => members.map(([a, key, b, c, value, d]) => `${a}"${key}"${b}:${c}${value}${d}`))
      .chain((members) => blanks.map((blank) => (members.length > 0 ? `{${members.join(',')}}` : `{${blank}}`))),
    array: fc
      .array(
        fc.tuple(blanks, tie('value'), blanks).map((parts) => parts.join('')),
        { maxLength: 6 },
      )
      .chain((items) => blanks.map((blank) => (items.length > 0 ? `[${items.join(',')}]` : `[${blank}]`))),
  }));
  return fc.tuple(blanks, object, blanks).map((parts) => parts.join(''));
}

/** Returns values nested in `depth` arrays and objects in turn. */
export function nested(depth: number, value: string): string {
  const half = depth >> 1;
  return `${'[{"a":'.repeat(half)}${value}${'}]'.repeat(half)}`;
}

/** Bytes that change the structure of a text. */
const hurtful = fc.oneof(
  fc.constantFrom(...Buffer.from('"\\{}[],:0-9eE.+tfn u/ \n\r\t\0\x1f\x7f\x80\xbf\xef')),
  fc.nat(255),
);

/** Returns texts with a few changed, removed or added bytes. */
export function damaged(texts: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  const change = fc.tuple(fc.nat(), hurtful, fc.constantFrom('replace', 'insert', 'remove', 'end'));
  return fc.tuple(texts, fc.array(change, { minLength: 1, maxLength: 3 })).map(([text, changes]) => {
    let bytes = Buffer.from(text);
    for (const [where, byte, how] of changes) {
      const at = where % (bytes.length + 1);
      const kept = how === 'replace' || how === 'remove' ? at + 1 : at;
      const added = how === 'replace' || how === 'insert' ? [byte] : [];
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(added),
        how === 'end' ? Buffer.of() : bytes.subarray(kept),
      ]);
    }
    return bytes;
  });
}

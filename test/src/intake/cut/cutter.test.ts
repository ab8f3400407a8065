/**
 * Tests the cutter: it cuts valid objects only, and to the values that the whole text has without the other fields. All
 * other texts are left to the caller, which then parses them as a whole.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Type } from '@sinclair/typebox';
import { treeOf } from '../../../../src/intake/cut/tree.ts';
import { payloadSchemas } from '../../../../src/intake/events.ts';
import { aCutter, assertCutAsWhole, fuzzCut } from '../../../helpers/cut.ts';
import { escapedName, nested } from '../../../helpers/json-texts.ts';

const schema = Type.Object({
  a: Type.Number(),
  text: Type.String(),
  merge_commit_sha: Type.String(),
  repositories_removed: Type.String(),
  user: Type.Optional(Type.Union([Type.Object({ login: Type.String() }), Type.Null()])),
  labels: Type.Array(Type.Object({ name: Type.String() })),
  reactions: Type.Unknown(),
});
const cutter = aCutter();
const cut = cutter.cutBy(treeOf(schema));
const cutText = (text: string) => cut(Buffer.from(text));

/** A small text with every kind of token. */
const small =
  '{"a":-1.5e+3,"x":[true,{"b":null},[]],"text":"\\"\\u00e9\\\\","user":{"login":"é","id":0},"labels":[{"name":""}]}';

suite('fields', () => {
  test('named fields are kept, and all others are dropped', () => {
    const text = '{"x":{"a":2},"a":1,"user":{"id":3,"login":"l"},"labels":[{"id":4,"name":"n"},{}],"b":5}';
    assert.equal(cutText(text), '{"a":1,"user":{"login":"l"},"labels":[{"name":"n"},{}]}');
  });

  test('a value of another type than the schema names is kept whole', () => {
    for (const text of [
      '{"a":{"b":[1,{"c":2}]},"text":[1]}',
      '{"user":[{"login":1,"id":2}],"labels":{"name":1,"id":2}}',
      '{"labels":[[{"name":1,"id":2}],3,null],"user":"login"}',
      '{"reactions":{"+1":[2]}}',
    ])
      assert.equal(cutText(text), text);
  });

  test('names are compared in full', () => {
    const others = [
      'merge_commit_shA',
      'merge_commit_sh',
      'merge_commit_sha_',
      'Text',
      'tex',
      'repositories_xemoved',
      '',
    ];
    const names = [...others, 'text', 'merge_commit_sha', 'repositories_removed'];
    const text = `{${names.map((name) => `"${name}":1`).join(',')}}`;
    assert.equal(cutText(text), '{"text":1,"merge_commit_sha":1,"repositories_removed":1}');
  });

  test('the last of several fields with the same name counts', () => {
    const text = '{"user":{"login":"a"},"a":1,"user":{"id":1},"a":2}';
    assert.deepEqual(JSON.parse(cutText(text) ?? ''), { user: {}, a: 2 });
  });

  test('an object in which a dropped name may be spelt with escapes is not cut', () => {
    assert.equal(cutText('{"\\u0061":1}'), undefined);
    assert.equal(cutText('{"user":{"\\u006cogin":1}}'), undefined);
    assert.equal(cutText('{"x":{"\\u0061":1},"a":"\\u0061"}'), '{"a":"\\u0061"}');
    // With some shifts, a whole block is within the name, and no other block of the name contains an escape sequence.
    const long = `r${[...'epositorie'].map(escapedName).join('')}s_removed`;
    for (let shift = 0; shift < 64; shift += 1) assert.equal(cutText(`{${' '.repeat(shift)}"${long}":1}`), undefined);
  });

  test('invalid UTF-8 is decoded as in the whole body', () => {
    for (const bytes of ['80', 'c3', 'e282', 'f09f98', 'eda080', 'ff', 'c0af']) {
      const body = Buffer.concat([
        Buffer.from('{"x":"'),
        Buffer.from(bytes, 'hex'),
        Buffer.from('","text":"'),
        Buffer.from(`${bytes}22`, 'hex'),
        Buffer.from('}'),
      ]);
      assertCutAsWhole(cut, schema, body, true);
      const outside = Buffer.concat([Buffer.from('{"x":1'), Buffer.from(bytes, 'hex'), Buffer.from('}')]);
      assert.equal(cut(outside), undefined);
    }
  });
});

suite('validity', () => {
  const texts = [
    ...['', ' ', '{', '}', '[]', 'null', '1', '"a"', '{}{}', '{},', '{} x', '{}\u00a0', '\ufeff{}', '\u2028{}'],
    ...['{,}', '{"a"}', '{"a":}', '{"a":1,}', '{"a":1 "b":2}', '{"a":1:2}', '{"a":"b":1}', '{"a",1}', '{"a":,1}'],
    ...['{:1}', '{1:2}', '{a:1}', '{[]:1}', '{"a":1,[]}', '{"a":1,2}', '{"a":1{}}', '{"a" 1}', '{"a"::1}', '{{}}'],
  ];
  const values = [
    ...[
      '[1,]',
      '[,1]',
      '[,]',
      '[1 2]',
      '["a":1]',
      '[1:2]',
      '["a" "b"]',
      '[]]',
      '[}',
      ']',
      '[1}',
      '{]}',
      '[[]',
      '{"b":1]',
    ],
    ...[
      '01',
      '-',
      '-01',
      '+1',
      '.5',
      '1.',
      '1.e3',
      '1e',
      '1e+',
      '1E-',
      '0x1',
      '1_0',
      '--1',
      '1.2.3',
      'Infinity',
      'NaN',
    ],
    ...[
      '',
      'tru',
      'truee',
      'True',
      'nul',
      'nulll',
      'fals',
      'falsey',
      'undefined',
      't',
      'y',
      'Y',
      '_',
      '\x7f',
      '/',
      "'a'",
    ],
    ...[
      '"\\x"',
      '"\\u12"',
      '"\\u123g"',
      '"\\u 123"',
      '"\\',
      '"\\"',
      '"\n"',
      '"\t"',
      '"\0"',
      '"\x1f"',
      '"\\\n"',
      '1\x0b',
    ],
    ...[
      '//\n1',
      '/**/1',
      '"a" "b"',
      '"a"b',
      'true false',
      '1\u3000',
      '"a"\\',
      '\\n1',
      'nulltrue',
      '[]true',
      '"a"1',
      '1"a"',
    ],
  ];
  const invalid = [...texts, ...values.map((value) => `{"x":${value}}`)];

  test('a text that is not a JSON object is not cut', () => {
    for (const text of invalid) {
      assert.equal(cutText(text), undefined, JSON.stringify(text));
      assertCutAsWhole(cut, schema, Buffer.from(text), true);
    }
  });

  test('each invalid text is found at every place in a block', () => {
    for (const text of invalid) {
      for (let shift = 1; shift <= 70; shift += 1) {
        assert.equal(cutText(`${' '.repeat(shift)}${text}`), undefined, `${JSON.stringify(text)} ${shift}`);
        const behind = `{"y":"${'z'.repeat(shift)}","w":${text}}`;
        assertCutAsWhole(cut, schema, Buffer.from(behind), !behind.includes('\\'));
      }
    }
  });

  test('a valid text is cut at every place in a block', () => {
    for (let shift = 0; shift <= 130; shift += 1) {
      for (const blank of [' ', '\n', '\t', '\r'])
        assertCutAsWhole(cut, schema, Buffer.from(`${blank.repeat(shift)}${small}${blank.repeat(shift)}`), true);
      assertCutAsWhole(cut, schema, Buffer.from(`{"y":"${'z'.repeat(shift)}",${small.slice(1)}`), true);
      assertCutAsWhole(cut, schema, Buffer.from(small.replaceAll(/[,:{}[\]]/g, `$&${' '.repeat(shift)}`)), true);
      assertCutAsWhole(cut, schema, Buffer.from(`{"text":"${'\\\\'.repeat(shift)}\\"","a":1}`), true);
      assertCutAsWhole(
        cut,
        schema,
        Buffer.from(`{"text":"${'z'.repeat(shift)}\\u00e9\\n","a":${'1'.repeat(shift + 1)}}`),
        true,
      );
    }
  });

  test('every truncation of a text is left to the caller', () => {
    const bytes = Buffer.from(small);
    for (let length = 0; length < bytes.length; length += 1) assert.equal(cut(bytes.subarray(0, length)), undefined);
  });

  test('a text in which one byte is changed is cut as the whole, if it is still valid', () => {
    const bytes = Buffer.from(small);
    for (let at = 0; at < bytes.length; at += 1) {
      for (let byte = 0; byte < 256; byte += 1) {
        const changed = Buffer.from(bytes);
        changed[at] = byte;
        assertCutAsWhole(cut, schema, changed);
      }
    }
  });

  test('generated and damaged texts are cut as the whole', () => {
    for (const event of ['pull_request', 'push', 'repository', 'installation'])
      fuzzCut(cutter, payloadSchemas.get(event) as typeof schema, { numRuns: 300, seed: 1 });
  });
});

suite('limits', () => {
  test('a text of more than 1 MiB is left to the caller', () => {
    const text = (length: number) => `{"a":1,"x":"${'x'.repeat(length - 14)}"}`;
    assert.equal(cutText(text(1 << 20)), '{"a":1}');
    assert.equal(cutText(text((1 << 20) + 1)), undefined);
  });

  test('a long kept value is copied in full', () => {
    const text = `{"text":"${'é'.repeat((1 << 19) - 6)}"}`;
    assert.equal(cutText(text), text);
  });

  test('more than 1,024 nested containers are left to the caller', () => {
    assert.equal(cutText(`{"a":1,"x":${'['.repeat(1023)}${']'.repeat(1023)}}`), '{"a":1}');
    assert.equal(cutText(`{"a":1,"x":${'['.repeat(1024)}${']'.repeat(1024)}}`), undefined);
    assert.equal(cutText(`{"a":1,"x":${nested(1022, '[1]')}}`), '{"a":1}');
    assert.equal(cutText(`{"labels":[${'['.repeat(500_000)}`), undefined);
  });

  test('more than 65,536 containers are left to the caller', () => {
    const text = (count: number) => `{"a":1,"x":[${'[],'.repeat(count - 3)}[]]}`;
    assert.equal(cutText(text(65_536)), '{"a":1}');
    assert.equal(cutText(text(65_537)), undefined);
  });

  test('a text leaves no trace in the result of the next one', () => {
    assert.equal(cutText(`{"text":"${'\\'.repeat(63)}`), undefined);
    assert.equal(cutText('{"x":[[[[{"a":'), undefined);
    assert.equal(cutText(small.slice(0, 40)), undefined);
    assert.equal(cutText('{"a":1}'), '{"a":1}');
  });

  test('a name that is too long for the module is refused', () => {
    const long = Type.Object({ ['n'.repeat(33)]: Type.String() });
    assert.throws(() => aCutter().cutBy(treeOf(long)), RangeError);
  });

  test('trees that do not fit into the module are refused', () => {
    const wide = Type.Object(Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`n${i}`, Type.String()])));
    const own = aCutter();
    assert.throws(() => {
      for (let count = 0; count < 10; count += 1) own.cutBy(treeOf(wide));
    }, RangeError);
  });
});

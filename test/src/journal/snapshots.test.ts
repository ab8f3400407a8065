/** Tests that announcements and requests of other nodes are checked before they are used. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packMessage } from '../../../src/journal/codec.ts';
import type { Journal } from '../../../src/journal/connect.ts';
import { answerPieces, hearPositions, type Positions, pieceBytes } from '../../../src/journal/snapshots.ts';

type Callback = (error: Error | null, message: object) => void;

/** A journal of node `a` whose messages a test delivers. */
function listen() {
  let deliver: Callback = () => {};
  const connection = {
    subscribe: (_: string, { callback }: { callback: Callback }) => {
      deliver = callback;
    },
  };
  const journal = { connection, node: 'a' } as unknown as Journal;
  return { journal, deliver: (message: object) => deliver(null, message) };
}

const sha256 = '0'.repeat(64);
const offer = { created: 'today', epoch: 0, seq: 9, bytes: 100, sha256 };
const position = { partition: 'p00', created: 'today', seq: 12, holds: 5, offers: [offer] };

test('a node hears well-formed announcements of other nodes only', () => {
  const { journal, deliver } = listen();
  const heard: [string, Positions][] = [];
  hearPositions(journal, (node, positions) => void heard.push([node, positions]));
  const hear = (message: unknown, node = 'b') =>
    deliver({ subject: `tidings.node.${node}.positions`, data: packMessage(message) });
  hear({ asks: true, partitions: [position] });
  hear({ asks: false, partitions: [position] }, 'a');
  for (const wrong of [
    ...[null, 7, 'text', [], {}, { partitions: {} }, { partitions: [null] }],
    ...[{ holds: -1 }, { holds: 1.5 }, { holds: '5' }, { created: 7 }, { offers: 7 }, { offers: [{}] }].map(
      (fields) => ({ partitions: [{ ...position, ...fields }] }),
    ),
    { partitions: [{ ...position, offers: [{ ...offer, sha256: '../../etc/passwd' }] }] },
    { partitions: [{ ...position, padded: { created: 'today', erasures: 'all', seq: 1 } }] },
    ...[7, [{ seq: 1 }], [{ seq: 1, value: -1 }]].map((digests) => ({ partitions: [{ ...position, digests }] })),
  ])
    hear(wrong);
  deliver({ subject: 'tidings.node.b.positions', data: Buffer.from([0xc1, 0xff]) });
  const compared = { ...position, digests: [{ seq: 11, value: 4_000_000_000 }] };
  hear({ partitions: [compared], conceded: ['p01', 7] });
  assert.deepEqual(heard, [
    ['b', { asks: true, partitions: [position], conceded: [] }],
    ['b', { asks: false, partitions: [compared], conceded: ['p01'] }],
  ]);
});

test('requests for too much, or for something that is not a digest, are not answered', async () => {
  const { journal, deliver } = listen();
  const asked: object[] = [];
  answerPieces(journal, 'p00', async (request) => {
    asked.push(request);
    return request.offset === 0 ? Buffer.from('piece') : undefined;
  });
  const replies: string[] = [];
  const respond = (bytes: Uint8Array) => void replies.push(Buffer.from(bytes).toString());
  const ask = (fields: object) =>
    deliver({ data: packMessage({ sha256, offset: 0, length: pieceBytes, ...fields }), respond });
  for (const wrong of [{ length: pieceBytes + 1 }, { offset: -1 }, { sha256: 'x' }, { length: 'all' }]) ask(wrong);
  ask({});
  ask({ offset: 5 });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(asked, [
    { sha256, offset: 0, length: pieceBytes },
    { sha256, offset: 5, length: pieceBytes },
  ]);
  assert.deepEqual(replies, ['piece', '']);
});

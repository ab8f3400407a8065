/** Tests files that are written steadily: their bytes, and copies of them. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { copySteadily, SteadyFile } from '../../../src/store/steady-file.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

/** Larger than the part that is synced at once, and no multiple of it. */
const bytes = Buffer.alloc(9_500_001, 'steady ');

test('a file has the bytes of its pieces', async (t) => {
  const path = join(temporaryFolder(t), 'pieces');
  writeFileSync(path, 'the bytes of an earlier file');
  const file = await SteadyFile.create(path);
  for (let offset = 0; offset < bytes.length; offset += 1_048_576)
    await file.write(bytes.subarray(offset, offset + 1_048_576), offset);
  await file.sync();
  await file.close();
  assert.ok(readFileSync(path).equals(bytes));
});

test('a copy has the same bytes, and replaces no file', async (t) => {
  const folder = temporaryFolder(t);
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  writeFileSync(from, bytes);
  await copySteadily(from, to);
  assert.ok(readFileSync(to).equals(bytes));
  await assert.rejects(copySteadily(from, to), { code: 'EEXIST' });
  await assert.rejects(copySteadily(join(folder, 'missing'), join(folder, 'other')), { code: 'ENOENT' });
  assert.equal(existsSync(join(folder, 'other')), false);
});

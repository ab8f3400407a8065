/**
 * Makes a worker send what it has begun even if the journal has made another process the lead. A test starts a node with
 * `--import` of this file, so that the program itself has no setting for it.
 */
import { withoutFence, withoutTimeCheck } from './weaken.ts';

await withoutTimeCheck();
await withoutFence();

/**
 * Makes a worker act as the lead for as long as it believes to lead, without looking at its clock. A test starts a node
 * with `--import` of this file, so that the program itself has no setting for it.
 */
import { withoutTimeCheck } from './weaken.ts';

await withoutTimeCheck();

/**
 * Makes a worker send what it has begun even if the journal has made another process the lead. The worker of a changed
 * build imports this file.
 */
import { withoutFence, withoutTimeCheck } from './weaken.ts';

withoutTimeCheck();
withoutFence();

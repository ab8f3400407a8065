// Makes the parts of set-up that only tests need. A machine that cannot have such a part skips the tests.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './console.mjs';
import { failedLately } from './nats-server.mjs';

/**
 * Returns a part of set-up. If the part is optional, it is made only where `canMake` returns true, and a failure is only
 * reported.
 * @param tool its name, which is that of a file in .tools/, and functions: whether it is there, whether this machine can
 *   make it, the error if not, and its making. `label` is the progress line, and `consequence` follows a reported failure
 */
export function createTestTool(root, { name, isThere, canMake, missing, label, make, consequence }, optional) {
  const failedFile = join(root, '.tools', `${name}.failed`);

  return {
    isReady() {
      if (isThere()) return true;
      return optional && (!canMake() || failedLately(failedFile));
    },

    async make(report) {
      try {
        if (!canMake()) throw missing();
        await report.step(label, make);
        rmSync(failedFile, { force: true });
      } catch (error) {
        if (!optional || !(error instanceof SetupError)) throw error;
        writeFileSync(failedFile, error.message);
        if (error.detail) report.note(error.detail);
        report.note(`${error.message}; ${consequence} again in a day`);
      }
    },
  };
}

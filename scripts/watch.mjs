// Builds the dashboard and the service after each change (`npm run dev`): the bundler watches in this process, and tsc
// in a process of its own. Arguments are options for tsc.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchDashboard } from './setup/dashboard.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

await watchDashboard(root);
// tsc must write the programs again, because the build has bundled them.
rmSync(join(root, 'dist', '.tsbuildinfo'), { force: true });
const args = [tsc, '--watch', '--preserveWatchOutput', ...process.argv.slice(2)];
const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => process.exit(code ?? 1));

// Sets up nats-server, which stores the journal. On Debian and Ubuntu, apt's own tools fetch Debian 13's package into
// private folders and check its signature. The package is unpacked below .tools/ without root and never becomes a
// system service. On other systems, nats-server must be on the PATH.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, SetupError } from './console.mjs';
import { copyPlain, prepareSandbox } from './sandbox.mjs';

const MIRROR = 'http://deb.debian.org/debian';
const SUITE = 'trixie';
/** First version of nats-server 2.10 that supports `sync_interval: always` and keeps its streams when it is killed. */
const OLDEST = '2.10.23';
const KEYRING_FOLDERS = ['/usr/share/keyrings', '/etc/apt/trusted.gpg.d', '/etc/apt/keyrings'];
const KEYRING_NAMES = [/^debian-archive-keyring\.(gpg|pgp)$/, /^debian-archive-trixie.*\.(gpg|pgp|asc)$/];

/**
 * Returns the version in the output of `nats-server --version`, such as 2.10.27. Returns undefined for any other text.
 */
export function parseVersion(text) {
  return /\bv?(\d+\.\d+\.\d+)\b/.exec(text ?? '')?.[1];
}

/** Whether `version` is `other` or later. */
export function isAtLeast(version, other) {
  const [a, b] = [version, other].map((text) => text.split('.').map(Number));
  const at = a.findIndex((number, index) => number !== b[index]);
  return at === -1 || a[at] > b[at];
}

/**
 * Finds a keyring for checking Debian's signature. Prefers the complete keyring to a keyring for Debian 13 only.
 * Returns undefined if neither exists.
 */
export function chooseKeyring(listFolder) {
  for (const name of KEYRING_NAMES) {
    for (const folder of KEYRING_FOLDERS) {
      const found = listFolder(folder).filter((file) => name.test(file));
      // The key of the stable release is preferred, because it is valid for longer than Debian's automatic signing
      // keys.
      const best = found.find((file) => file.includes('stable')) ?? found.sort()[0];
      if (best) return `${folder}/${best}`;
    }
  }
  return undefined;
}

/**
 * Returns the complete apt configuration for one fetch into `folder`. Of the machine's own settings, only the network
 * settings are used.
 */
export function aptConfig({ folder, architecture, network, user = 'root' }) {
  const settings = {
    'APT::Architecture': architecture,
    // The user that runs apt's programs. If set-up does not run as root, this option has no effect.
    'APT::Sandbox::User': user,
    // Without this option, an unreachable mirror causes only a warning, and the download then fails with an unclear
    // error.
    'APT::Update::Error-Mode': 'any',
    'Dir::Etc::main': '/dev/null',
    'Dir::Etc::parts': '/dev/null',
    'Dir::Etc::sourcelist': `${folder}/sources.list`,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State': `${folder}/state`,
    'Dir::State::lists': `${folder}/state/lists`,
    'Dir::State::status': `${folder}/state/status`,
    'Dir::Cache': `${folder}/cache`,
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
  };
  return [...network, ...Object.entries(settings).map(([name, value]) => `${name} "${value}";`), ''].join('\n');
}

/** Returns the lines of `apt-config dump Acquire` about this machine's network access (proxies, checks, addresses). */
export function networkSettings(dump) {
  return dump.split('\n').filter((line) => /^Acquire::(https?::|Force|Check-)\S* ".+";$/i.test(line));
}

/** Returns the advice that set-up prints on this platform when it cannot fetch nats-server. */
export function adviceFor(platform, { hasApt, hasKeyring }) {
  if (platform === 'darwin') return 'brew install nats-server';
  if (platform === 'linux' && hasApt && !hasKeyring) {
    return "sudo apt-get install debian-archive-keyring   (then run the same command again: it fetches Debian's package)";
  }
  return 'docker run --rm -p 127.0.0.1:4222:4222 nats:2.10 -js   and set TIDINGS_NATS_URL=nats://127.0.0.1:4222';
}

/**
 * Returns the part of set-up that provides nats-server. `isReady()` runs the unpacked server to check its version.
 * `fetch(report)` fetches and unpacks a server, or accepts a server on the PATH.
 */
export function createNatsServer(root) {
  const tools = join(root, '.tools');
  const target = join(tools, 'nats-server');
  const binary = join(target, 'usr', 'sbin', 'nats-server');
  const failedFile = join(tools, 'nats-server.failed');
  const onPath = () => versionOf('nats-server');

  return {
    isReady() {
      if (existsSync(binary) && versionOf(binary) !== undefined) return true;
      return (!canFetch() || failedLately(failedFile)) && onPath() !== undefined;
    },

    async fetch(report) {
      let failure;
      if (canFetch()) {
        try {
          let note;
          await report.step('fetching nats-server', async () => {
            const fetched = await fetchFromDebian();
            note = fetched.note;
            return fetched.done;
          });
          if (note) report.note(note);
          return;
        } catch (error) {
          if (!(error instanceof SetupError)) throw error;
          failure = error;
        }
      }
      const version = onPath();
      if (version === undefined) throw unavailable(failure);
      if (!failure) return;
      writeFileSync(failedFile, failure.message);
      report.note(`${failure.message}; nats-server ${version} on the PATH is used instead`);
    },
  };

  async function fetchFromDebian() {
    // Removes the folder of a set-up that was killed. We hold the lock, so no other set-up uses the folder.
    const sandbox = prepareSandbox(join(tools, 'apt'), { keyring: keyring() });
    const fresh = `${target}.new`;
    rmSync(fresh, { recursive: true, force: true });
    try {
      const deb = await unpack(sandbox);
      copyPlain(join(sandbox.folder, 'download', 'unpacked'), fresh);
      const version = checkedVersion(fresh, deb);
      rmSync(target, { recursive: true, force: true });
      renameSync(fresh, target);
      return { done: `nats-server ${version} from Debian 13 unpacked into .tools/`, note: sandbox.note };
    } finally {
      sandbox.remove();
      rmSync(fresh, { recursive: true, force: true });
    }
  }

  /** Fetches, checks and unpacks the package as the user of the sandbox. Returns the file name of the package. */
  async function unpack(sandbox) {
    const { folder, wrap } = sandbox;
    await prepareApt(sandbox);
    const cwd = join(folder, 'download');
    const env = { ...process.env, APT_CONFIG: join(folder, 'apt.conf'), LC_ALL: 'C' };
    await must('apt-get', ['-q', 'update'], { cwd, env });
    await must('apt-get', ['-q', 'download', 'nats-server'], { cwd, env });
    const deb = readdirSync(cwd).find((file) => file.endsWith('.deb'));
    const [command, ...args] = wrap('dpkg', '-x', deb, 'unpacked');
    await must(command, args, { cwd, env });
    return deb;
  }

  function checkedVersion(folder, deb) {
    const version = versionOf(join(folder, 'usr', 'sbin', 'nats-server'));
    if (version !== undefined && isAtLeast(version, OLDEST)) return version;
    throw new SetupError(`the nats-server in ${deb} ${version ? `is ${version}` : 'does not start here'}`, {
      expected: `${OLDEST} or later`,
    });
  }

  async function prepareApt({ folder, user }) {
    const architecture = (await must('dpkg', ['--print-architecture'])).trim();
    const network = networkSettings((await run('apt-config', ['dump', 'Acquire'])).output);
    writeFileSync(join(folder, 'state', 'status'), '');
    writeFileSync(
      join(folder, 'sources.list'),
      `deb [arch=${architecture} signed-by=${keyring()}] ${MIRROR} ${SUITE} main\n`,
    );
    writeFileSync(join(folder, 'apt.conf'), aptConfig({ folder, architecture, network, user }));
  }

  function unavailable(failure) {
    const advice = adviceFor(process.platform, { hasApt: hasApt(), hasKeyring: keyring() !== undefined });
    return new SetupError(failure ? failure.message : 'nats-server was not found', {
      detail: failure?.detail ?? failure?.expected,
      expected: `nats-server ${OLDEST} or later: from Debian 13 by apt (Debian, Ubuntu), or on the PATH`,
      next: failure ? `fix the fault above (${MIRROR}) and run the same command again, or: ${advice}` : advice,
    });
  }
}

/**
 * Whether a fetch failed in the last 24 hours. After such a failure, the program is not fetched again, because a
 * machine without access to the mirror would wait for the mirror at each start.
 */
export function failedLately(file) {
  return existsSync(file) && Date.now() - statSync(file).mtimeMs < 24 * 3600 * 1000;
}

function canFetch() {
  return hasApt() && keyring() !== undefined;
}

function hasApt() {
  return ['apt-get', 'apt-config', 'dpkg'].every((name) => existsSync(`/usr/bin/${name}`));
}

function keyring() {
  return chooseKeyring((folder) => (existsSync(folder) ? readdirSync(folder) : []));
}

/** Returns the version that a program prints, such as 2.10.27. Returns undefined if the program does not run. */
export function versionOf(command) {
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', timeout: 60_000 });
  return status === 0 ? parseVersion(stdout) : undefined;
}

async function must(command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code === 0) return output;
  const errors = output.split('\n').filter((line) => /^(E|Err|W):/.test(line));
  throw new SetupError(`${command} ${args.find((arg) => arg !== '-q')} failed, so nats-server could not be fetched`, {
    detail: (errors.length > 0 ? errors : output.trim().split('\n').slice(-5)).join('\n'),
  });
}

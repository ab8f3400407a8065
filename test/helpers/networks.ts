/**
 * Makes networks of their own on this machine, one per place. Two bridges connect them: programs in the networks talk
 * through the first one, from which a test can cut a network off. Through the second one, the test itself reaches each
 * network. Needs root and iproute2. No packet leaves the machine.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { afterwards } from './cleanup.ts';
import type { Place } from './places.ts';

/** The names of everything that a process makes begin with this word and its process id. */
const prefix = 'tdnet';
const nameOf = (rest: string, pid = process.pid): string => `${prefix}${pid}${rest}`;
const [inner, outer] = [nameOf('i'), nameOf('o')];

/** Returns why no networks can be made here; false if they can. */
export function noNetworks(): string | false {
  const name = nameOf('-probe');
  try {
    ip('netns', 'add', name);
    ip('netns', 'del', name);
    return false;
  } catch (error) {
    return `no networks of their own can be made here, which needs root and iproute2: ${(error as Error).message.split('\n')[0]}`;
  }
}

export class Networks {
  readonly places: readonly Place[];
  /** The address of the test, which is reached from each network. */
  readonly test: string;

  private constructor(places: readonly Place[], test: string) {
    this.places = places;
    this.test = test;
  }

  /** Makes networks. They are removed when the test ends, and at the latest by the next test that makes some. */
  static make(t: TestContext, count: number): Networks {
    removeOfEndedProcesses();
    const remove = (): void => removeAll(process.pid);
    process.once('exit', remove);
    afterwards(t, () => {
      process.off('exit', remove);
      remove();
    });
    // Addresses of several processes must differ, because all of them have a route in the network of the machine.
    const base = 64 + (process.pid % 64) * 2;
    for (const bridge of [inner, outer]) {
      ip('link', 'add', bridge, 'type', 'bridge');
      ip('link', 'set', bridge, 'up');
    }
    const test = `10.${base + 1}.0.254`;
    ip('addr', 'add', `${test}/24`, 'dev', outer);
    const places = Array.from({ length: count }, (_, i) => {
      const [host, reach] = [`10.${base}.0.${i + 1}`, `10.${base + 1}.0.${i + 1}`];
      const name = nameOf(`-${i}`);
      ip('netns', 'add', name);
      ip('-n', name, 'link', 'set', 'lo', 'up');
      connect(name, inner, i, host);
      connect(name, outer, i, reach);
      // The second bridge must not lead from one network to another.
      run('bridge', 'link', 'set', 'dev', `${outer}${i}`, 'isolated', 'on');
      return { host, reach, enter: ['nsenter', `--net=/run/netns/${name}`, '--'] };
    });
    return new Networks(places, test);
  }

  /** Cuts a network off from the others. The test still reaches it. */
  cut(i: number): void {
    ip('link', 'set', `${inner}${i}`, 'down');
  }

  /** Connects a network with the others again. */
  mend(i: number): void {
    ip('link', 'set', `${inner}${i}`, 'up');
  }
}

/** Connects a network with a bridge. */
function connect(network: string, bridge: string, i: number, address: string): void {
  const [here, there] = [`${bridge}${i}`, bridge === inner ? 'inner' : 'outer'];
  ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', network);
  ip('link', 'set', here, 'master', bridge, 'up');
  ip('-n', network, 'addr', 'add', `${address}/24`, 'dev', there);
  ip('-n', network, 'link', 'set', there, 'up');
}

/** Removes what a process left that was killed. */
function removeOfEndedProcesses(): void {
  const names = `${ip('netns', 'list')}\n${ip('-o', 'link')}`.matchAll(new RegExp(`\\b${prefix}(\\d+)`, 'g'));
  const pids = new Set([...names].map(([, pid]) => Number(pid)));
  for (const pid of pids) if (pid === process.pid || !existsSync(`/proc/${pid}`)) removeAll(pid);
}

/** Removes all networks and bridges of a process. A link ends with its network. */
function removeAll(pid: number): void {
  for (const [name] of ip('netns', 'list').matchAll(new RegExp(`^${nameOf('-', pid)}\\w+`, 'gm')))
    ip('netns', 'del', name);
  for (const [, name] of ip('-o', 'link').matchAll(new RegExp(`^\\d+: (${nameOf('[io]', pid)}\\d*)\\b`, 'gm')))
    if (existsSync(`/sys/class/net/${name}`)) ip('link', 'del', name as string);
}

function ip(...args: string[]): string {
  return run('ip', ...args);
}

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

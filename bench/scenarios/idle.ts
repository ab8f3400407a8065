/**
 * idle: measures the memory and the processor time of a service that gets no requests.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createProgress } from '../../src/cli/progress.ts';
import { cpuBetween, cpuSeconds } from '../cpu.ts';
import { memoryOf, memoryText, totalMemory } from '../memory.ts';
import { secondsUntilReady } from '../node.ts';
import type { Scenario } from '../scenario.ts';
import { startBenchService } from '../service.ts';

const lines = { megabytes: 350, percentOfACore: 1 } as const;
/**
 * The work of the start must be over before the measurement begins: each process collects its garbage after about half
 * a minute, and the first sweep begins after a minute.
 */
const settleSeconds = 75;
const measuredSeconds = 20;

export const idle: Scenario = {
  name: 'idle',
  question: 'How much memory and processor time does a service without requests use?',
  run: async (context) => {
    const service = await startBenchService(context, 'https://github.com');
    await secondsUntilReady({ service, startedAt: performance.now() });
    const total = settleSeconds + measuredSeconds;
    const progress = createProgress({ label: 'idle, seconds', total, stream: process.stderr });
    const wait = async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        await pause(1000);
        progress.advance();
      }
    };
    await wait(settleSeconds);
    const before = cpuSeconds(service.pids);
    const begun = performance.now();
    await wait(measuredSeconds);
    const seconds = (performance.now() - begun) / 1000;
    const used = cpuBetween(before, cpuSeconds(service.pids));
    const memory = memoryOf(service.pids);
    progress.done();
    await service.stop();
    const { resident, proportional, own } = totalMemory(memory);
    const cpu = Object.values(used).reduce((sum, each) => sum + each, 0);
    const shares = Object.entries(used).map(([name, each]) => `${name} ${((each / seconds) * 100).toFixed(2)}`);
    return [
      {
        load: `no requests for ${measuredSeconds} s, new data directory`,
        connections: null,
        subjects: [],
        figures: [
          {
            name: 'resident memory of all processes, shared pages counted once',
            value: proportional,
            unit: 'MB',
            line: { atMost: lines.megabytes },
          },
          { name: 'resident memory, shared pages counted in each process', value: resident, unit: 'MB', line: null },
          { name: 'resident memory without pages of files', value: own, unit: 'MB', line: null },
          {
            name: 'processor time, of one core',
            value: (cpu / seconds) * 100,
            unit: '%',
            line: { atMost: lines.percentOfACore },
          },
        ],
        othersShare: 0,
        faults: [],
        notes: [`Memory in MB: ${memoryText(memory)}`, `Processor time in % of one core: ${shares.join(', ')}`],
      },
    ];
  },
};

/**
 * The service's supervisor in a process of its own, its settings in the environment: started by the first message, stopped
 * when the bench lets go of it or is gone.
 */
import { loadSettings } from '../config/load.ts';
import { createLogger } from '../src/foundation/logger.ts';
import { type Service, type ServiceFacts, startService } from '../src/supervisor/supervisor.ts';
import { answerMessages } from './program.ts';

/** Where everything is, and the processes by name. */
export interface StartedService extends ServiceFacts {
  pids: Record<string, number>;
}

let service: Service | undefined;

async function start(): Promise<StartedService> {
  const settings = loadSettings();
  service = startService(settings, createLogger('bench', settings.logLevel));
  try {
    return { ...(await service.ready), pids: service.pids() };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

answerMessages(start, async () => service?.stop());

/**
 * Runs the service's supervisor in its own process. The environment of this process contains the service's settings.
 * The first message starts the supervisor. The supervisor stops when the bench disconnects or ends.
 */
import { loadSettings } from '../config/load.ts';
import { createLogger } from '../src/foundation/logger.ts';
import { type Service, type ServiceFacts, startService } from '../src/supervisor/supervisor.ts';
import { answerMessages } from './program.ts';

/** The service's addresses and its process ids by name. */
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

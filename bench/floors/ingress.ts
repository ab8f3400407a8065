/**
 * Runs the floor of `webhook-accept` (the server that the service is compared with). The floor is the service's
 * receiver and HTTP server without the journal, so it acknowledges every delivery immediately. Like the service, the
 * floor searches for duplicates. It searches in the partitions of the measured service.
 */
import { loadSettings } from '../../config/load.ts';
import { createLogger } from '../../src/foundation/logger.ts';
import { boundSecrets, ingestionLimit } from '../../src/gateway/gateway.ts';
import { BodyBudget } from '../../src/http/budget.ts';
import { startServer } from '../../src/http/server.ts';
import { Receiver } from '../../src/ingress/receive.ts';
import { Refusals } from '../../src/ingress/refusals.ts';
import { Readers } from '../../src/store/readers.ts';
import { answerMessages } from '../program.ts';

const settings = loadSettings();
const logger = createLogger('floor', settings.logLevel);
const readers = new Readers(settings.dataDir);
const position = Promise.resolve({ seq: 1, index: 0 });
const receiver = new Receiver({
  settings,
  secrets: settings.webhookSecrets,
  bound: boundSecrets(settings, readers, logger),
  budget: new BodyBudget(settings.bodyBudgetBytes),
  refusals: new Refusals({ trustedProxies: settings.trustedProxies, logger }),
  limit: ingestionLimit(settings, readers),
  enqueue: () => position,
  readers,
  isConnected: () => true,
});

answerMessages(async () => {
  const route = { method: 'POST', path: '/api/webhooks/scm', handle: receiver.handle.bind(receiver) } as const;
  const { port } = await startServer(settings.host, 0, [route], logger);
  return { port };
});

/**
 * Runs the floor of the scenario `draft-read`. A floor is a server that the service is compared with. This floor is a
 * bare uWebSockets.js server, which replies to every GET with the given bytes.
 */
import { App, us_socket_local_port } from 'uWebSockets.js';
import { answerMessages } from '../program.ts';

answerMessages(({ body }: { body: Uint8Array }) => {
  const app = App();
  app.get('/*', (response) => {
    response.cork(() => {
      response.writeHeader('Content-Type', 'application/json');
      response.end(body);
    });
  });
  return new Promise((resolve) => {
    app.listen('127.0.0.1', 0, (socket) => resolve({ port: socket ? us_socket_local_port(socket as never) : 0 }));
  });
});

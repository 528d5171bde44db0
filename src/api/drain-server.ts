import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Returns how to close the server without cutting an answer short. Node's own `close` waits for connections on which
 * no request ever came (browsers open spare ones) and for those that turn idle only after the call.
 */
export function drainable(server: Server, graceMs: number): () => Promise<void> {
  const underWay = new Map<Socket, number>();
  let closing = false;

  server.on('connection', (socket: Socket) => {
    underWay.set(socket, 0);
    socket.on('close', () => underWay.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1);
    response.on('close', () => {
      const left = (underWay.get(socket) ?? 1) - 1;
      if (underWay.has(socket)) underWay.set(socket, left);
      if (closing && left === 0) socket.end();
    });
  });

  return async () => {
    closing = true;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const [socket, requests] of underWay) if (requests === 0) socket.destroy();
    const grace = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(grace);
  };
}

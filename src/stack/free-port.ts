import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** The usual port when nobody listens there, else one that the system picks. */
export async function freePort(host: string, usual: number): Promise<number> {
  return (await tryPort(host, usual)) ?? (await tryPort(host, 0)) ?? usual;
}

/** Rejects when this process may not listen there at all, whoever else does. */
export async function portIsFree(host: string, port: number): Promise<boolean> {
  return (await tryPort(host, port)) !== undefined;
}

function tryPort(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen({ host, port, exclusive: true }, () => {
      const taken = (server.address() as AddressInfo).port;
      server.close(() => resolve(taken));
    });
  });
}

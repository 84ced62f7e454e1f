import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** A fault in an answer; `at` is a byte offset from the start of its head. */
export type Fault =
  | { readonly kind: 'none' }
  /** The connection is reset before this byte. */
  | { readonly kind: 'reset'; readonly at: number }
  /** The connection is closed normally before this byte. */
  | { readonly kind: 'truncate'; readonly at: number }
  /**
   * No data follow from this byte on, but the connection stays open. With 0, the answer is empty.
   */
  | { readonly kind: 'silence'; readonly at: number }
  /** Some bits of this byte are flipped. */
  | { readonly kind: 'corrupt'; readonly at: number; readonly bits: number }
  /** The answer arrives in pieces of this many bytes, ten milliseconds apart. */
  | { readonly kind: 'drip'; readonly bytes: number };

export type FaultProxy = AsyncDisposable & {
  readonly url: string;
  /**
   * Sets the fault of all later answers. A function as `fault` is called with the number of each
   * request.
   */
  readonly strike: (fault: Fault | ((request: number) => Fault)) => void;
  /** The number of connections that clients have opened. */
  readonly connections: () => number;
  /** The length of the newest answer in bytes, as the server sent it. */
  readonly lengthOfAnswer: () => number;
  /** Waits until all clients have closed their connections. */
  readonly left: () => Promise<void>;
};

/** A proxy on 127.0.0.1 in front of a server there. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const clients = new Set<Socket>();
  let faultOf: (request: number) => Fault = () => ({ kind: 'none' });
  let requests = 0;
  let connections = 0;
  let length = 0;
  const server = createServer((client) => {
    clients.add(client);
    connections += 1;
    const upstream = connect(Number(new URL(target).port), '127.0.0.1');
    let answer = answering(client, { kind: 'none' });
    let isAnswered = true;
    client.on('data', (request) => {
      if (isAnswered) {
        length = 0;
        requests += 1;
        answer = answering(client, faultOf(requests));
      }
      isAnswered = false;
      upstream.write(request);
    });
    upstream.on('data', (chunk) => {
      isAnswered = true;
      length += chunk.length;
      void answer(chunk);
    });
    client.on('close', () => {
      clients.delete(client);
      upstream.destroy();
    });
    upstream.on('close', () => client.end());
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    strike: (next) => {
      faultOf = typeof next === 'function' ? next : () => next;
    },
    connections: () => connections,
    lengthOfAnswer: () => length,
    left: async () => {
      const closed = (client: Socket) => new Promise((resolve) => client.once('close', resolve));
      await Promise.all([...clients].map(closed));
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Forwards the answer to one request, chunk by chunk, with the fault. */
function answering(client: Socket, fault: Fault): (chunk: Buffer) => Promise<void> {
  let passed = 0;
  return async (chunk) => {
    const start = passed;
    passed += chunk.length;
    if (fault.kind === 'none') {
      client.write(chunk);
    } else if (fault.kind === 'drip') {
      for (let at = 0; at < chunk.length && !client.destroyed; at += fault.bytes) {
        client.write(chunk.subarray(at, at + fault.bytes));
        await setTimeout(10, undefined, { ref: false });
      }
    } else {
      const at = fault.at - start;
      if (fault.kind === 'corrupt') {
        client.write(chunk.map((byte, index) => (index === at ? byte ^ fault.bits : byte)));
        return;
      }
      if (at > 0) client.write(chunk.subarray(0, at));
      if (at >= chunk.length || start > fault.at) return;
      if (fault.kind === 'truncate') client.end();
      // The reset must not overtake the bytes that were written before.
      if (fault.kind === 'reset') client.write('', () => client.resetAndDestroy());
    }
  };
}

import { createSealer, type Sealer } from '#shared/clients/sealer.ts';

export const CHANNEL_KEY = Buffer.alloc(32, 'k').toString('base64');

/** The real sealer under a key that anybody knows, with nonces that count. */
export function aSealer(key = CHANNEL_KEY): Sealer {
  let nonces = 0;
  return createSealer(
    async () => key,
    (size) => {
      nonces += 1;
      return new Uint8Array(size).fill(nonces);
    },
  );
}

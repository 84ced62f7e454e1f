import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { createOpen, createSeal, type Open, type Seal, SealError } from '#shared/clients/sealer.ts';
import type { SecretPlace } from '#shared/domain/channels/channel-secret.ts';
import { CHANNEL_KEY } from './channel-keys.ts';

export type Sealer = { readonly seal: Seal; readonly open: Open };

/** The real sealing and opening, with both halves of a key that anybody knows. */
export function aSealer(key = CHANNEL_KEY): Sealer {
  return { seal: createSeal(async () => publicHalfOf(key)), open: createOpen(async () => key) };
}

/** Opens as `aSealer` does, each secret once: that takes milliseconds, and messages open it again. */
export function aRememberingOpener(): Open {
  const { open } = aSealer();
  const known = new Map<string, Promise<string>>();
  return (place, sealed) => {
    const name = JSON.stringify([place, sealed]);
    const secret = known.get(name) ?? open(place, sealed);
    known.set(name, secret);
    return secret;
  };
}

/**
 * Stands for both where a world seals and opens all day: what is sealed is another text each time,
 * and the same in each run.
 */
export function aQuickSealer(): Sealer {
  let count = 0;
  const textOf = ({ tenant, list, channel }: SecretPlace) => `${tenant} ${list} ${channel}`;
  const contentOf = (sealed: string): readonly unknown[] =>
    JSON.parse(Buffer.from(sealed, 'base64url').toString() || '[]');
  return {
    seal: async (place, secret, known = '') => {
      const [at, same] = contentOf(known);
      if (at === textOf(place) && same === secret) return known;
      count += 1;
      return Buffer.from(JSON.stringify([textOf(place), secret, count])).toString('base64url');
    },
    open: async (place, sealed) => {
      const [at, secret] = contentOf(sealed);
      if (at !== textOf(place)) throw new SealError('what is sealed is of another place');
      return String(secret);
    },
  };
}

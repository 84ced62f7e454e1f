import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { createOpen, createSeal, type Open, type Seal } from '#shared/clients/sealer.ts';
import { CHANNEL_KEY } from './channel-keys.ts';

type Sealer = { readonly seal: Seal; readonly open: Open };

/** Real sealing and opening, with the two halves of a published key. */
export function aSealer(key = CHANNEL_KEY): Sealer {
  return { seal: createSeal(async () => publicHalfOf(key)), open: createOpen(async () => key) };
}

/**
 * Opens like `aSealer`, but caches each secret, because opening takes milliseconds and many
 * messages need the same secret.
 */
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

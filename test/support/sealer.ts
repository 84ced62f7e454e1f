import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { createOpen, createSeal, type Open, type Seal } from '#shared/clients/sealer.ts';
import { CHANNEL_KEY } from './channel-keys.ts';

type Sealer = { readonly seal: Seal; readonly open: Open };

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

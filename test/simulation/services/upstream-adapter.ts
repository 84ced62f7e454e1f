import { contractOf } from '#shared/domain/market/contract.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { createNftData } from '#shared/providers/nft-data/nft-data.ts';
import type { Faults } from './faults.ts';
import type { Stream } from './streams.ts';
import type { Timeline } from './timeline.ts';

/** The key that the upstream takes, and the one that the stack's parameter says. */
export type KeyRing = {
  /** Whether a key is let in; it may have been changed just now. */
  readonly takes: (key: string) => boolean;
  readonly inParameter: () => string;
};

type KeyWorld = {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly schedule: Stream;
  readonly met: (what: 'renewed key' | 'revoked key') => void;
};

/** Operators renew the key; or it is revoked, and they learn of it minutes later. */
export function createKeyRing({ timeline, faults, schedule, met }: KeyWorld): KeyRing {
  let taken = 1;
  let reported = 1;
  const tell = () => {
    reported = taken;
    return false;
  };
  return {
    inParameter: () => `key-${reported}`,

    takes: (key) => {
      if (faults.strikes('keyRenewed')) {
        met('renewed key');
        taken += 1;
        tell();
      }
      if (faults.strikes('keyRevoked')) {
        met('revoked key');
        taken += 1;
        timeline.at(timeline.now() + schedule.between(1, 3) * MINUTE, tell);
      }
      return key === `key-${taken}`;
    },
  };
}

export type UpstreamCallName = 'floor' | 'lowest' | 'offers';

export type AdapterPorts = {
  readonly keys: KeyRing;
  readonly settings: Omit<ProviderSettings, 'http'>;
  /** Makes the request later, like each call that leaves a function. */
  readonly request: <Answer>(call: UpstreamCallName, answer: () => Answer) => Promise<Answer>;
  readonly broken: (invariant: string, what: string) => void;
};

/** Whichever contract is asked for: the door only looks at keys. */
const ANY = contractOf('eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb');
const REFUSED = { status: 401, headers: {}, body: '{"message":"Invalid key"}' };
const ANSWERED = { status: 200, headers: {}, body: '{}' };

/** The way into the upstream: through its real client, as far as keys are concerned. */
export function createUpstreamAdapter({ keys, settings, request, broken }: AdapterPorts) {
  /** Asks, and returns what the upstream says to a caller with the right key. */
  return async <Value>(
    call: UpstreamCallName,
    answer: () => Outcome<Value>,
    signal: AbortSignal,
  ): Promise<Outcome<Value>> => {
    let heard: Outcome<Value> | undefined;
    let tries = 0;
    let wasRenewed = false;
    const http = {
      request: ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => {
        const key = headers['X-API-Key'] ?? '';
        tries += 1;
        const answerTo = () => {
          if (keys.takes(key)) {
            heard = answer();
            return ANSWERED;
          }
          wasRenewed = key !== keys.inParameter();
          return REFUSED;
        };
        return request(call, answerTo);
      },
    };
    const client = createNftData({ ...settings, http });
    const outcome = await client.floorHistory(ANY, { interval: '1d' }, signal);
    if (heard !== undefined) return heard;
    if (tries === 1 && wasRenewed) broken('a renewed key is read once more', keys.inParameter());
    return outcome.kind === 'denied' ? outcome : { kind: 'failed', reason: 'network' };
  };
}

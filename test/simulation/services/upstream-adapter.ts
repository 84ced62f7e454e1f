import { contractOf } from '#shared/domain/market/contract.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { createNftData } from '#shared/providers/nft-data/nft-data.ts';
import type { Faults } from './faults.ts';
import type { Stream } from './streams.ts';
import type { Timeline } from './timeline.ts';

/** The key that the upstream accepts, and the key in the parameter of the stack. */
export type KeyRing = {
  /**
   * Whether the upstream accepts a key. A call of this function may first replace the accepted key.
   */
  readonly takes: (key: string) => boolean;
  readonly inParameter: () => string;
};

type KeyWorld = {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly schedule: Stream;
  readonly met: (what: 'renewed key' | 'revoked key') => void;
};

/** Operators renew the key, or it is revoked and they replace the parameter minutes later. */
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
  /** Makes the request after a latency, as for every call that leaves a function. */
  readonly request: <Answer>(call: UpstreamCallName, answer: () => Answer) => Promise<Answer>;
  readonly broken: (invariant: string, what: string) => void;
};

/** Any contract will do, because only the key is checked. */
const ANY = contractOf('eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb');
const REFUSED = { status: 401, headers: {}, body: '{"message":"Invalid key"}' };
const ANSWERED = { status: 200, headers: {}, body: '{}' };

/** Connects to the simulated upstream through the real client, which handles the keys. */
export function createUpstreamAdapter({ keys, settings, request, broken }: AdapterPorts) {
  /** Makes a call, and returns the answer of the simulated upstream to an accepted key. */
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
    if (tries === 1 && wasRenewed) broken('a renewed key is read again', keys.inParameter());
    return outcome.kind === 'denied' ? outcome : { kind: 'failed', reason: 'network' };
  };
}

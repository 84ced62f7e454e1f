import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Item } from '#shared/stores/table.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';

export type FairnessInvariants = {
  readonly cadencesWritten: (written: Written) => void;
  readonly contractWritten: (written: Written) => void;
  /** One of the providers is asked about a contract. */
  readonly asked: (contract: string) => void;
  readonly atRest: (items: readonly Item[], stoodStillUntil: Instant) => void;
};

type FairnessWorld = {
  readonly now: () => Instant;
  readonly broken: (invariant: string, what: string) => void;
  /** Tenants whose share carries all that they watch. */
  readonly modest: readonly string[];
  readonly cadenceMinutes: number;
};

/** A tick may be late, and a slot is within its minute. */
const TOLERANCE = 2 * MINUTE;

/** Holds that whose needs are modest is polled for as promised, whatever another takes. */
export function createFairnessInvariants({
  now,
  broken,
  modest,
  cadenceMinutes,
}: FairnessWorld): FairnessInvariants {
  const askedAt = new Map<string, Instant>();
  const isWatched = (item: Item | undefined) => Object.keys(item?.parts ?? {}).length > 0;
  const law = 'no tenant is polled less often because of another';
  return {
    asked: (contract) => {
      askedAt.set(contract, now());
    },

    contractWritten: ({ key: { sk }, before, after }) => {
      // It has its turn within a cadence, as if it had been asked about when it came to be watched.
      if (!isWatched(before) && isWatched(after)) askedAt.set(sk, now());
    },

    cadencesWritten: ({ after }) => {
      const stretched = (after?.stretched ?? {}) as Readonly<Record<string, number>>;
      for (const tenant of modest) {
        if (stretched[tenant] !== undefined) broken(law, `${tenant}: ${stretched[tenant]} minutes`);
      }
    },

    atRest: (items, stoodStillUntil) => {
      if (modest.length === 0) return;
      for (const item of items) {
        const { pk, sk } = item;
        if (!pk.startsWith('CONTRACTS#') || !isWatched(item)) continue;
        // A provider that keeps all polls away keeps those of each tenant away.
        const ago = now() - Math.max(askedAt.get(sk) ?? 0, stoodStillUntil);
        if (ago > cadenceMinutes * MINUTE + TOLERANCE)
          broken(law, `${sk} was asked about ${Math.round(ago / MINUTE)} minutes ago`);
      }
    },
  };
}

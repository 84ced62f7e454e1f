import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Item } from '#shared/stores/table.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import { isDerived } from './derived-invariants.ts';

export type FairnessInvariants = {
  readonly cadencesWritten: (written: Written) => void;
  readonly contractWritten: (written: Written) => void;
  /** Called when one of the providers is called for a contract. */
  readonly asked: (contract: string) => void;
  readonly atRest: (items: readonly Item[], stoodStillUntil: Instant) => void;
};

type FairnessWorld = {
  readonly now: () => Instant;
  readonly broken: (invariant: string, what: string) => void;
  /** Tenants whose share of the budget covers everything they watch. */
  readonly modest: readonly string[];
  readonly cadenceMinutes: number;
};

/** A tick may be late, and a poll may start at any time of its minute. */
const TOLERANCE = 2 * MINUTE;

/** Checks that contracts of tenants within their share are polled at their cadence. */
export function createFairnessInvariants({
  now,
  broken,
  modest,
  cadenceMinutes,
}: FairnessWorld): FairnessInvariants {
  const askedAt = new Map<string, Instant>();
  // Derived contracts are never polled.
  const isWatched = (item: Item | undefined) =>
    item !== undefined && !isDerived(item.sk) && Object.keys(item.series ?? {}).length > 0;
  const law = 'no tenant is polled less often because of another';
  return {
    asked: (contract) => {
      askedAt.set(contract, now());
    },

    contractWritten: ({ key: { sk }, before, after }) => {
      // The first poll of a newly watched contract is due within a cadence.
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
        // A blocked provider delays the polls of every tenant.
        const ago = now() - Math.max(askedAt.get(sk) ?? 0, stoodStillUntil);
        if (ago > cadenceMinutes * MINUTE + TOLERANCE)
          broken(law, `${sk} was asked about ${Math.round(ago / MINUTE)} minutes ago`);
      }
    },
  };
}

import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Item } from '#shared/stores/table.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';

export type FairnessInvariants = {
  readonly cadencesWritten: (written: Written) => void;
  /** One of the providers is asked about a contract. */
  readonly asked: (contract: string) => void;
  readonly atRest: (items: readonly Item[]) => void;
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
  const law = 'no tenant is polled less often because of another';
  return {
    asked: (contract) => {
      askedAt.set(contract, now());
    },

    cadencesWritten: ({ after }) => {
      const stretched = (after?.stretched ?? {}) as Readonly<Record<string, number>>;
      for (const tenant of modest) {
        if (stretched[tenant] !== undefined) broken(law, `${tenant}: ${stretched[tenant]} minutes`);
      }
    },

    atRest: (items) => {
      if (modest.length === 0) return;
      for (const { pk, sk, parts } of items) {
        if (!pk.startsWith('CONTRACTS#') || Object.keys(parts as object).length === 0) continue;
        const ago = now() - (askedAt.get(sk) ?? 0);
        if (ago > cadenceMinutes * MINUTE + TOLERANCE)
          broken(law, `${sk} was asked about ${Math.round(ago / MINUTE)} minutes ago`);
      }
    },
  };
}

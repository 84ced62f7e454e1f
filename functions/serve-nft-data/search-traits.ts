import type { Instant } from '#shared/domain/market/instant.ts';
import type { Outcome, TraitsQuery, Upstream } from '#shared/domain/market/upstream.ts';
import { callInSlot, type GovernedCalls } from '#shared/domain/polling/governed-call.ts';

export type SearchTraitsPorts = GovernedCalls & Pick<Upstream, 'nftsByTraits'>;

/** Asks the upstream for one page, within the limits that polling keeps too. */
export async function searchTraits(
  ports: SearchTraitsPorts,
  query: TraitsQuery,
  signal: AbortSignal,
): Promise<Outcome<string> | { readonly kind: 'no_slot'; readonly until: Instant }> {
  const lease = await ports.leaseCalls([['traits']]);
  if (!lease.granted) return { kind: 'no_slot', until: lease.until };
  const [leased] = lease.calls;
  const answered =
    leased &&
    (await callInSlot(
      ports,
      { ...leased, probe: lease.probe },
      () => ports.nftsByTraits(query, signal),
      signal,
    ));
  return answered?.outcome ?? { kind: 'no_slot', until: ports.now() };
}

import { type RequestPolicy, takeUnits } from '#shared/domain/access/request-units.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { formatInstant, SECOND } from '#shared/domain/market/instant.ts';
import { usageTotals } from '#shared/domain/watchlists/quota-usage.ts';
import { answer } from '#shared/http/answer.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import { type Request, route } from '#shared/http/route.ts';
import type { Held, RequestUnits, Usage } from './answers/usage.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/** The operation on the usage of the tenant. */
export const usageRoutes = {
  'GET /v1/usage': route({ scope: 'read', units: 'read' }, getUsage),
};

/** The quota usage and request units of the tenant, with their limits. */
async function getUsage(ports: ManageWatchlistsPorts, { caller: { tenant } }: Request) {
  const [quotaUsage, api, nftData] = await Promise.all([
    ports.getQuotaUsage(tenant),
    requestsView(ports, tenant, 'api'),
    requestsView(ports, tenant, 'nft-data'),
  ]);
  const held = usageTotals(quotaUsage);
  const heldView = (what: keyof typeof held): Held => ({
    used: held[what],
    limit: LIMITS.tenant[what],
  });
  return answer<Usage>(200, {
    watchlists: heldView('watchlists'),
    contracts: heldView('contracts'),
    watches: heldView('watches'),
    requests: { api, nftData },
  });
}

async function requestsView(
  ports: ManageWatchlistsPorts,
  tenant: CallerTenant,
  policy: RequestPolicy,
): Promise<RequestUnits> {
  const unitsPerMinute = ports.requestUnitsPerMinute[policy];
  const used = (await ports.getUsedUnits(tenant, policy)) ?? { version: 0, usedUntil: 0 };
  const { left, allInSeconds } = takeUnits(used, 0, unitsPerMinute, ports.now());
  return { unitsPerMinute, left, allAt: formatInstant(ports.now() + allInSeconds * SECOND) };
}

import type { ChannelBody } from '#shared/channels/channel-body.ts';
import { meantInstead } from '#shared/domain/nearest.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import { RefusedMembersError } from '#shared/domain/watchlists/refused-members.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Of } from './commit-change.ts';

type Lists<Tenant extends string> = {
  readonly getWatchlist: (id: Of<Tenant, WatchlistId>) => Promise<Watchlist | undefined>;
};

/** Refuses channels of a list that name a contact point which the tenant does not have. */
export async function expectContactPoints<Tenant extends string>(
  ports: Lists<Tenant>,
  tenant: Tenant,
  channels: readonly (ChannelBody | string)[],
): Promise<void> {
  if (!channels.some((channel) => typeof channel === 'string')) return;
  const list = await ports.getWatchlist({ tenant, id: CONTACT_POINTS });
  const known = list?.channels.map(({ id }) => id) ?? [];
  const issues = channels.flatMap((name, index) =>
    typeof name !== 'string' || known.includes(name)
      ? []
      : {
          path: ['channels', index],
          message: `there is no contact point "${name}"; ${meantInstead(name, known)}`,
        },
  );
  if (issues.length > 0) throw new RefusedMembersError(issues);
}

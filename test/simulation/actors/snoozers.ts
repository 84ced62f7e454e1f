import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Stream } from '#test/simulation/services/streams.ts';
import { anHttpRequest } from '#test/support/builders.ts';
import type { ReadersWorld } from './readers.ts';
import type { Action, UserPorts } from './users.ts';

const LIST = '/v1/watchlists/{watchlist}';
/**
 * A snooze may be refused: the list, its rule or the episode may be gone, or the list may have its
 * maximum of mutes.
 */
const MAY_BE_REFUSED: readonly number[] = [400, 404, 409];

type Watch = { readonly rule: string; readonly contract: string; readonly state: string };
type Mute = { readonly id: string; readonly untilRecovered: boolean };

/** People of a list who mute firing watches until they recover, and sometimes end such a mute. */
export function createSnoozer(
  { tenant, id: watchlist }: WatchlistId,
  stream: Stream,
  { reported, broken }: Pick<ReadersWorld, 'reported' | 'broken'>,
): () => Action {
  const by = { tenant, id: watchlist };
  const ask = async (
    ports: UserPorts,
    route: string,
    request: Parameters<typeof anHttpRequest>[1] = {},
  ) => {
    const path = { watchlist, ...request.path };
    const answer = await ports.ask(anHttpRequest(route, { ...request, path, tenant }));
    const { statusCode: status, body } = answer;
    reported({ tenant, route, status, body });
    return { status, body };
  };

  const snoozes = (choice: number) => async (ports: UserPorts) => {
    const { status, body } = await ask(ports, `GET ${LIST}/watches`);
    const watches: readonly Watch[] = status === 200 ? JSON.parse(body).watches : [];
    const firing = watches.filter(({ state }) => state === 'firing' || state === 'recovering');
    const watch = firing[choice % Math.max(1, firing.length)];
    if (watch === undefined) return;
    const { rule, contract } = watch;
    const made = await ask(ports, `POST ${LIST}/mutes`, {
      body: { until: 'recovered', rule, contract },
    });
    const isRight =
      made.status === 201
        ? JSON.parse(made.body).untilRecovered === true
        : MAY_BE_REFUSED.includes(made.status);
    if (!isRight) broken('a person can snooze a firing watch', `${made.status} ${made.body}`);
  };

  const wakes = async (ports: UserPorts) => {
    const { status, body } = await ask(ports, `GET ${LIST}/mutes`);
    const mutes: readonly Mute[] = status === 200 ? JSON.parse(body).mutes : [];
    const mute = mutes.findLast(({ untilRecovered }) => untilRecovered);
    if (mute === undefined) return;
    const headers = { 'If-Match': '*' };
    await ask(ports, `DELETE ${LIST}/mutes/{mute}`, { path: { mute: mute.id }, headers });
  };

  return () => {
    const choice = stream.between(0, 99);
    return stream.happens(0.8)
      ? { name: 'snooze until recovered', by, work: snoozes(choice) }
      : { name: 'end a snooze', by, work: wakes };
  };
}

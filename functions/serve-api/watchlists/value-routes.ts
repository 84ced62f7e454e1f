import { shownName } from '#shared/domain/market/collection.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import type { NoDerivedPrice } from '#shared/domain/market/derived-price.ts';
import { DAY, formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { type HeldTokens, listValueKey } from '#shared/domain/market/list-value.ts';
import { withoutGlitches } from '#shared/domain/market/outlier.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { priceOf, pricesFrom } from '#shared/domain/polling/derived-answer.ts';
import { newestReading } from '#shared/domain/timeline/timeline.ts';
import { tokensHeld } from '#shared/domain/watchlists/value-member.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { answer } from '#shared/http/answer.ts';
import { existingWatchlist } from '#shared/http/existing-watchlist.ts';
import { decimalOf } from '#shared/http/price-view.ts';
import { pricesView } from '#shared/http/prices-view.ts';
import { type Request, route } from '#shared/http/route.ts';
import { collectionOf } from '#shared/use-cases/collection-of.ts';
import { inGroups } from '#shared/use-cases/in-groups.ts';
import type { ListHolding, ListValueRead } from './answers/value.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { ValueQuery } from './requests.ts';

/** The operation on the value of a list. */
export const valueRoutes = {
  'GET /v1/watchlists/{watchlist}/value': route(
    { scope: 'read', units: 'readAllLists', query: ValueQuery },
    getValue,
  ),
};

/**
 * Computes the present and past value from known and recorded floors. This works without a rule on
 * the value, but floors are polled only if some rule needs them.
 */
async function getValue(ports: ManageWatchlistsPorts, request: Request<ValueQuery>) {
  const list = await existingWatchlist(ports, request);
  const now = ports.now();
  const from = request.query.from === undefined ? now - 30 * DAY : Date.parse(request.query.from);
  const held = tokensHeld(list);
  const contract = listValueKey(held);
  const read = await inGroups(held, AT_ONCE, (tokens) => readTokens(ports, list, tokens, from));
  const records = read.map(({ record }) => record);
  const past = pricesFrom(
    { held },
    read.map(({ floors }) => withoutGlitches(floors)),
  );
  return answer<ListValueRead>(200, {
    contract: contract ?? null,
    value: priceView(priceOf({ held }, records)),
    holdings: read.map(
      ({ contract: key, amount, name, record }): ListHolding => ({
        ...{ contract: key, name, amount },
        floor: priceView(record && newestReading(record.timeline).floor),
      }),
    ),
    prices:
      contract === undefined
        ? null
        : pricesView(
            { contract, series: 'floor', recorded: past, record: undefined, to: now },
            request.query.points,
          ),
  });
}

/** The tokens held of one contract, with the record and the recorded floors of the contract. */
type ReadTokens = HeldTokens & {
  readonly name: string | null;
  readonly record: ContractRecord | undefined;
  readonly floors: readonly PricePoint[];
};

async function readTokens(
  { getContract, recordedSince, getCollection }: ManageWatchlistsPorts,
  { members }: Watchlist,
  { contract, amount }: HeldTokens,
  from: Instant,
): Promise<ReadTokens> {
  const [record, floors, collection] = await Promise.all([
    getContract(contract),
    recordedSince(contract, 'floor', from),
    collectionOf(getCollection, contract),
  ]);
  const member = members.find((one) => one.contract === contract) ?? { contract };
  return { contract, amount, name: shownName(member, collection) ?? null, record, floors };
}

/** Maximum contracts that are read in parallel. */
const AT_ONCE = 25;

function priceView(point: Point | NoDerivedPrice | undefined): ListValueRead['value'] {
  if (typeof point !== 'object' || point.kind !== 'price') return null;
  const { price, currency, usd, time } = point;
  return { price: formatDecimal(price), currency, usd: decimalOf(usd), at: formatInstant(time) };
}

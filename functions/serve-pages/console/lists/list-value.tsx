import { useState } from 'preact/hooks';
import { PriceChart } from '#console/collection/price-chart.tsx';
import { now } from '#console/interface/connection.ts';
import { INTERVAL, useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { linkTo } from '#console/shell/place.ts';
import { Ago } from '#console/words/ago.tsx';
import { count, dollars, measuredAmount, whole } from '#console/words/amounts.ts';
import { collectionName } from '#console/words/collection-name.ts';
import { isHeld } from '#console/words/is-held.ts';
import type { ReadList } from './list-page.tsx';

type Holding = Answer<'GET /v1/watchlists/{watchlist}/value'>['holdings'][number];

const MINUTE = 60_000;
const MONTH = 30 * 24 * 60 * MINUTE;

/**
 * Shows the value of the tokens that a list holds over the last thirty days. Hidden if the list
 * holds no tokens.
 */
export function ListValue({ list }: { readonly list: ReadList }) {
  const [from] = useState(() => Math.floor((now() - MONTH) / MINUTE) * MINUTE);
  const isHolding = list.contracts.some(isHeld);
  const { answer } = useFollowed(
    'GET /v1/watchlists/{watchlist}/value',
    isHolding
      ? {
          path: { watchlist: list.id },
          query: { points: '500', from: new Date(from).toISOString() },
        }
      : null,
    4 * INTERVAL,
    `value of ${list.id}`,
  );
  if (answer?.contract == null) return null;
  const { contract, value, holdings, prices } = answer;
  return (
    <section class="panel stack" aria-label="Value">
      <div class="row spread">
        <h2>Value</h2>
        <a class="button" href={linkTo('collections', contract, 'rules', list.id, 'new')}>
          New rule on the list value
        </a>
      </div>
      <p class="price">
        <strong>{value === null ? 'Unknown' : measuredAmount(value.price, value.currency)}</strong>
        {value?.usd && <span class="quiet"> {dollars(value.usd)}</span>}
        {value !== null && (
          <span class="quiet small">
            {' '}
            <Ago at={value.at} />
          </span>
        )}
      </p>
      {prices !== null && prices.points.length > 0 && (
        <PriceChart
          name={list.name}
          prices={prices}
          inDollars={false}
          from={Math.max(from, Date.parse(prices.points[0]?.time ?? ''))}
          to={now()}
          lines={[]}
          spans={[]}
          markers={[]}
          onDrag={ignore}
          onDrop={ignore}
          onCancel={ignore}
        />
      )}
      <ul class="holdings small">
        {holdings.map((holding) => (
          <li key={holding.contract} class="row spread">
            <span>{collectionName(holding, list.contracts)}</span>
            <span class="number">{holdingInWords(holding)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Ignores drags of lines, because this chart has no lines. */
function ignore(): void {}

/** Describes a holding: `2 × 61.25 ETH`. */
function holdingInWords({ amount, floor }: Holding): string {
  return floor === null
    ? `${count(amount, 'token')}, floor unknown`
    : `${whole(amount)} × ${measuredAmount(floor.price, floor.currency)}`;
}

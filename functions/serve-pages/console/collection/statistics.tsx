import { SELDOM, useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { linkWith } from '#console/shell/place.ts';
import { Ago } from '#console/words/ago.tsx';
import { shortAmount } from '#console/words/amounts.ts';
import { formatDecimal, ONE, parseDecimal } from '#shared/domain/market/decimal.ts';
import { isDerived } from '#shared/domain/market/derived-key.ts';

type Known = Answer<'GET /v1/contracts/{contract}'>;
type Series = Known['series'][number];

const DAYS = [1, 7, 30] as const;

/** A figure with the time of its newest change. */
type Figure = {
  readonly value: string;
  readonly unit: string;
  readonly time: string;
  /** The reason why the figure is stale. Null if it is current. */
  readonly trouble: string | null;
};

/**
 * The recorded volume, sales, average price and owners of a collection. They are recorded only
 * while a rule uses them, so without such a rule, a link to create one is shown.
 */
export function Statistics({ known }: { readonly known: Known }) {
  const figureOf = (name: string) => figureIn(known.series.find(({ series }) => series === name));
  const columns = DAYS.map((days) => {
    const volume = figureOf(`volume.${days}d`);
    const sales = figureOf(`sales.${days}d`);
    return { days, volume, sales, average: averageOf(volume, sales) };
  }).filter(({ volume, sales }) => volume !== undefined || sales !== undefined);
  const owners = figureOf('owners');
  if (columns.length === 0 && owners === undefined) return <HowToRecord known={known} />;
  const rows = [
    ['Volume', columns.map(({ volume }) => volume)],
    ['Sales', columns.map(({ sales }) => sales)],
    ['Average price', columns.map(({ average }) => average)],
  ] as const;
  return (
    <section class="panel stack" aria-label="Volume and sales">
      {columns.length > 0 && (
        <table class="difference figures-table statistics">
          <thead>
            <tr>
              <th scope="col">Volume and sales</th>
              {columns.map(({ days }) => (
                <th key={days} scope="col">
                  {days === 1 ? '1 day' : `${days} days`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows
              .filter(([, figures]) => figures.some((figure) => figure !== undefined))
              .map(([name, figures]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {figures.map((figure, index) => (
                    <td key={columns[index]?.days}>
                      {figure === undefined ? '–' : <FigureWords figure={figure} />}
                    </td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      )}
      {owners !== undefined && (
        <p class="statistics">
          <FigureWords figure={owners} />
        </p>
      )}
    </section>
  );
}

function FigureWords({ figure: { value, unit, time, trouble } }: { readonly figure: Figure }) {
  return (
    <>
      <strong>{shortAmount(value, unit)}</strong>{' '}
      <span class="quiet small" title={trouble ?? undefined}>
        <Ago at={time} />
        {trouble !== null && ', stale'}
      </span>
    </>
  );
}

/** A link to create a volume rule. Hidden if the provider does not report volumes. */
function HowToRecord({ known: { contract, watchlists } }: { readonly known: Known }) {
  const { answer } = useFollowed('GET /v1/metrics', {}, SELDOM);
  const isReported = answer?.metrics.some(({ id, reported }) => id === 'volume' && reported);
  const [list] = watchlists;
  // Statistics exist only for whole collections, not for traits or derived contracts.
  const isWhole = !contract.includes('?') && !isDerived(contract);
  if (!isReported || list === undefined || !isWhole) return null;
  const rule = { metric: 'volume.1d', when: 'above' };
  return (
    <p class="quiet small">
      No volume or sales are recorded yet.{' '}
      <a href={linkWith(rule, 'collections', contract, 'rules', list, 'new')}>
        Add a volume rule to start recording
      </a>
      .
    </p>
  );
}

function figureIn(series: Series | undefined): Figure | undefined {
  if (series?.price == null || series.currency === null || series.dataTime === null)
    return undefined;
  const { price, currency, dataTime, health } = series;
  return { value: price, unit: currency, time: dataTime, trouble: health.reason };
}

/** The volume divided by the number of sales. Undefined without a sale. */
function averageOf(volume: Figure | undefined, sales: Figure | undefined): Figure | undefined {
  if (volume === undefined || sales === undefined) return undefined;
  const [traded, sold] = [parseDecimal(volume.value), parseDecimal(sales.value)];
  if (traded === undefined || sold === undefined || sold === 0n) return undefined;
  const value = formatDecimal((traded * ONE) / sold);
  const newer = volume.time > sales.time ? volume : sales;
  return { ...newer, value, unit: volume.unit, trouble: volume.trouble ?? sales.trouble };
}

import { useEffect } from 'preact/hooks';
import { DecimalField, decimalIn } from '#console/form/decimals.tsx';
import { type PreviewState, PreviewSummary, usePreview } from '#console/rule/rule-preview.tsx';
import { linkWith } from '#console/shell/place.ts';
import { labelWithUnit, unitInWords } from '#console/words/amounts.ts';
import { useEscape } from './use-escape.ts';

type NewLineProps = {
  /** The id of the list for the rule. */
  readonly list: string;
  readonly price: string;
  readonly unit: string;
  /** The current floor, in the unit of the chart. */
  readonly floor: string | null | undefined;
  readonly on: { readonly contract: string; readonly name: string };
  readonly onChange: (price: string) => void;
  readonly onPreview: (
    alerts: NonNullable<PreviewState['previewed']>['alerts'] | undefined,
  ) => void;
  readonly onClose: () => void;
};

/**
 * The metric of a new rule by the unit of the chart. For the currency of a chain, it is
 * `floor_price`.
 */
const METRICS: Readonly<Record<string, string>> = { usd: 'floor_price_usd', ratio: 'floor_ratio' };

/** Previews a new rule whose threshold is a clicked price. A link opens the form of the rule. */
export function NewLine(props: NewLineProps) {
  const { list, price, unit, floor, on, onChange, onPreview, onClose } = props;
  const threshold = decimalIn(price);
  const when = Number(threshold) > Number(floor ?? 0) ? 'above' : 'below';
  const metric = METRICS[unit] ?? 'floor_price';
  const what = unit === 'ratio' ? 'ratio' : 'floor';
  const rule = { metric, when, threshold: threshold ?? '' } as const;
  const preview = usePreview([on], { ...rule, on: on.contract }, threshold !== undefined);
  useEscape(onClose);
  useEffect(() => onPreview(preview.previewed?.alerts), [preview.previewed]);
  return (
    <section class="panel stack line-editor" aria-label="New rule">
      <div class="row">
        <DecimalField
          label={labelWithUnit(
            `Alert when the ${what} ${when === 'above' ? 'rises to or above' : 'falls to or below'}`,
            unitInWords(unit),
          )}
          value={price}
          onValue={onChange}
        />
        <PreviewSummary {...preview} isMoved />
        <div class="row">
          {threshold !== undefined && (
            <a
              class="button primary"
              href={linkWith(rule, 'collections', on.contract, 'rules', list, 'new')}
            >
              Create this rule
            </a>
          )}
          <button type="button" onClick={onClose}>
            Discard
          </button>
        </div>
      </div>
    </section>
  );
}

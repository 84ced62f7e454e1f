import { useEffect } from 'preact/hooks';
import { DecimalField, decimalIn } from '#console/form/decimals.tsx';
import { type PreviewState, PreviewSummary, usePreview } from '#console/rule/rule-preview.tsx';
import { linkWith } from '#console/shell/place.ts';
import { useEscape } from './use-escape.ts';

type NewLineProps = {
  /** The list of the rule. */
  readonly list: string;
  readonly price: string;
  readonly unit: string;
  /** The floor now, in the same unit. */
  readonly floor: string | null | undefined;
  readonly on: { readonly contract: string; readonly name: string };
  readonly onChange: (price: string) => void;
  readonly onPreview: (
    alerts: NonNullable<PreviewState['previewed']>['alerts'] | undefined,
  ) => void;
  readonly onClose: () => void;
};

/** A rule that begins with a click on the price scale: its line, and what it would have sent. */
export function NewLine(props: NewLineProps) {
  const { list, price, unit, floor, on, onChange, onPreview, onClose } = props;
  const threshold = decimalIn(price);
  const when = Number(threshold) > Number(floor ?? 0) ? 'above' : 'below';
  const metric = unit === 'usd' ? 'floor_price_usd' : 'floor_price';
  const rule = { metric, when, threshold: threshold ?? '' } as const;
  const preview = usePreview(on, { ...rule, on: on.contract }, threshold !== undefined);
  useEscape(onClose);
  useEffect(() => onPreview(preview.previewed?.alerts), [preview.previewed]);
  return (
    <section class="panel stack line-editor" aria-label="New rule">
      <div class="row">
        <DecimalField
          label={`Tell us when the floor ${when === 'above' ? 'rises to or above' : 'falls to or below'}, in ${unit.toUpperCase()}`}
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
              Make this rule
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

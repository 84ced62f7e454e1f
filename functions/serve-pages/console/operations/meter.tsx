import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { whole } from '#console/words/amounts.ts';

type MeterProps = {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  readonly children?: ComponentChildren;
};

/** Shows how much of a limit is used. */
export function Meter({ name, used, limit, children }: MeterProps) {
  const id = useId();
  return (
    <li class="meter">
      <div class="row spread">
        <span id={id}>{name}</span>
        <span>
          {whole(used)} <span class="quiet">of {whole(limit)}</span>
        </span>
      </div>
      <meter aria-labelledby={id} min={0} max={limit} high={limit * 0.8} value={used} />
      {children}
    </li>
  );
}

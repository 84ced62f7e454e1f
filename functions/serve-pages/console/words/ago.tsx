import { clock } from '#console/interface/connection.ts';
import { ago } from './times.ts';

/** The time since a moment, kept up to date. */
export function Ago({ at }: { readonly at: string }) {
  return <>{ago(at, clock.value)}</>;
}

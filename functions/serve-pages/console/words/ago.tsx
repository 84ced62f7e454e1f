import { clock } from '#console/interface/connection.ts';
import { ago } from './times.ts';

/** How long ago something was, kept current. */
export function Ago({ at }: { readonly at: string }) {
  return <>{ago(at, clock.value)}</>;
}

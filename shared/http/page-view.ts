import type { Unreadable } from '#shared/domain/unreadable.ts';
import type { FilledPage } from '#shared/use-cases/fill-page.ts';

/** What a page says beside its entries. */
export function filledView({ unreadable, stoppedShort }: FilledPage<unknown>) {
  return { stoppedShort, unreadable: unreadable.map(unreadableView) };
}

/** What was left out, as answers name it. */
export function unreadableView({ kind, id, reason }: Unreadable) {
  return { kind, id, reason };
}

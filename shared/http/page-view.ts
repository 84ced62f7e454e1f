import type { Unreadable } from '#shared/domain/unreadable.ts';
import type { FilledPage } from '#shared/use-cases/fill-page.ts';
import type { filledPage, UnreadableEntry } from './answer-shapes.ts';
import type { AnsweredMembers } from './described.ts';

/** The members of a filled page, without its entries and its cursor. */
export function filledView({
  unreadable,
  stoppedShort,
}: FilledPage<unknown>): Omit<AnsweredMembers<typeof filledPage>, 'cursor'> {
  return { stoppedShort, unreadable: unreadable.map(unreadableView) };
}

/** An unreadable entry, as the member `unreadable` of an answer lists it. */
export function unreadableView({ kind, id, reason }: Unreadable): UnreadableEntry {
  return { kind, id, reason };
}

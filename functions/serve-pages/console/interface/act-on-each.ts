import type { Outcome } from './ask.ts';
import { refreshAll } from './follow.ts';

/** The result of an action on several items. */
export type Report = {
  readonly done: number;
  readonly failed: readonly { readonly title: string; readonly reason: string }[];
};

/** Acts on one item after another. A failure does not stop the remaining actions. */
export async function actOnEach<Thing>(
  things: readonly Thing[],
  titleOf: (thing: Thing) => string,
  act: (thing: Thing) => Promise<Outcome<unknown>>,
): Promise<Report> {
  const failed: Report['failed'][number][] = [];
  for (const thing of things) {
    const outcome = await act(thing);
    if (outcome.kind === 'answered' || outcome.kind === 'unchanged') continue;
    const reason = outcome.kind === 'refused' ? outcome.problem.detail : 'there is no connection';
    failed.push({ title: titleOf(thing), reason });
  }
  refreshAll();
  return { done: things.length - failed.length, failed };
}

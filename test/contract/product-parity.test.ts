import { expect, it } from 'vitest';
import { thirdOf } from '#test/support/extent.ts';
import { type History, randomHistory } from '#test/support/reference-model/random-history.ts';
import { runLaw } from '#test/support/reference-model/run-law.ts';
import { runProduct } from '#test/support/reference-model/run-product.ts';

const HISTORIES = thirdOf(Array.from({ length: 3000 }, (_, seed) => seed));
/**
 * Maximum number of floors in an answer. The product evaluates only the newest 48 (append-poll.ts).
 */
const MOST_FLOORS = 40;

it('the product yields the same steps, alerts and states as the oracle for random rules and markets', () => {
  const differing: number[] = [];
  let compared = 0;
  for (const seed of HISTORIES) {
    const history = withoutLateFloors(randomHistory(seed));
    const result = isRecordedWhole(history) ? runProduct(history) : undefined;
    if (result === undefined) continue;
    compared += 1;
    if (JSON.stringify(result) !== JSON.stringify(runLaw(history))) differing.push(seed);
  }

  const [first] = differing;
  if (first !== undefined) {
    const history = withoutLateFloors(randomHistory(first));
    process.stderr.write(`seed ${first}: ${JSON.stringify(history.rule)}\n`);
    expect(runProduct(history)).toEqual(runLaw(history));
  }
  expect(differing).toEqual([]);
  expect(compared).toBeGreaterThan(HISTORIES.length / 2);
});

/** The history stores one floor per time, the accepted one, even for rules that use outliers. */
function isRecordedWhole({ rule }: History): boolean {
  return rule.outliers !== 'take' || !JSON.stringify(rule).includes('_pct.');
}

/**
 * The same market without the floors that the provider reported late. The product stores only two
 * floors, so it recognizes late floors only if they are close to accepted ones.
 */
function withoutLateFloors(history: History): History {
  const seen = new Map<number, string>();
  let newest = Number.NEGATIVE_INFINITY;
  const polls = history.polls.map((poll) => {
    if (!poll.answered) return poll;
    const last = new Map(poll.floors.map((floor) => [floor.time, floor]));
    const floors = [...last.values()]
      .filter(({ time, value, usd }) => time >= newest || seen.get(time) === `${value} ${usd}`)
      .toSorted((one, other) => one.time - other.time)
      .slice(-MOST_FLOORS);
    for (const { time, value, usd } of floors) seen.set(time, `${value} ${usd}`);
    // A floor dated after its poll counts in a later poll.
    newest = Math.max(newest, ...[...seen.keys()].filter((time) => time <= poll.now));
    return { ...poll, floors };
  });
  return { ...history, polls };
}

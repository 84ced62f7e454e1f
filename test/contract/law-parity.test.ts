import { describe, expect, it } from 'vitest';
import { thirdOf } from '#test/support/extent.ts';
import { randomHistory } from '#test/support/reference-model/random-history.ts';
import {
  hasReferenceModel,
  type ReferenceResult,
  runReferenceModel,
} from '#test/support/reference-model/reference-model.ts';
import { runLaw } from '#test/support/reference-model/run-law.ts';

const SEEDS = thirdOf(Array.from({ length: 2000 }, (_, seed) => seed));
/** The minimum number of alerts of each kind; fewer would prove little. */
const FEWEST = 100;

describe.skipIf(!hasReferenceModel())('the law of a watch', () => {
  it('the evaluation of a watch has the same steps and alerts as the reference model, for random rules and markets', () => {
    const histories = SEEDS.map(randomHistory);
    const references = runReferenceModel(histories);

    const results = histories.map(runLaw);

    const differing = SEEDS.filter(
      (_, index) => JSON.stringify(results[index]) !== JSON.stringify(references[index]),
    );
    const [first] = differing;
    if (first !== undefined) {
      const at = SEEDS.indexOf(first);
      process.stderr.write(`seed ${first}: ${JSON.stringify(histories[at]?.rule)}\n`);
      expect(results[at]).toEqual(references[at]);
    }
    expect(differing).toEqual([]);
    for (const kind of ['fired', 'worsened', 'reminder', 'recovered']) {
      expect(countAlerts(results, kind), kind).toBeGreaterThanOrEqual(FEWEST);
    }
  });
});

function countAlerts(results: readonly ReferenceResult[], kind: string): number {
  return results.flatMap(({ alerts }) => alerts).filter(([said]) => said === kind).length;
}

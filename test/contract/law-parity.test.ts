import { describe, expect, it } from 'vitest';
import { randomHistory } from '#test/support/reference-model/random-history.ts';
import {
  hasReferenceModel,
  type ReferenceResult,
  runReferenceModel,
} from '#test/support/reference-model/reference-model.ts';
import { runLaw } from '#test/support/reference-model/run-law.ts';

const HISTORIES = 2000;
/** The minimum number of alerts of each kind; fewer would prove little. */
const FEWEST = 300;

describe.skipIf(!hasReferenceModel())('the law of a watch', () => {
  it('the evaluation of a watch has the same steps and alerts as the reference model, for random rules and markets', () => {
    const histories = Array.from({ length: HISTORIES }, (_, seed) => randomHistory(seed));
    const references = runReferenceModel(histories);

    const results = histories.map(runLaw);

    const differing = histories
      .map(({ seed }) => seed)
      .filter((seed) => JSON.stringify(results[seed]) !== JSON.stringify(references[seed]));
    const [first] = differing;
    if (first !== undefined) {
      process.stderr.write(`seed ${first}: ${JSON.stringify(histories[first]?.rule)}\n`);
      expect(results[first]).toEqual(references[first]);
    }
    expect(differing).toEqual([]);
    for (const kind of ['fired', 'worsened', 'reminder', 'recovered']) {
      expect(countAlerts(results, kind), kind).toBeGreaterThan(FEWEST);
    }
  });
});

function countAlerts(results: readonly ReferenceResult[], kind: string): number {
  return results.flatMap(({ alerts }) => alerts).filter(([said]) => said === kind).length;
}

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { benchOptions } from '#test/support/bench-options.ts';
import { costsOf, inMarkdown } from './cost-table.ts';
import prices from './prices.json' with { type: 'json' };
import { withTable } from './readme-table.ts';

/**
 * `npm run costs`: the monthly costs of a thousand contracts. The benchmark runs the real use cases
 * in the test world, and counts their operations. Prints the tables of `README.md` in this folder;
 * `--write` updates that file.
 */
const values = benchOptions('costs', {
  json: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
});

const costs = await costsOf();
const table = inMarkdown(costs);
if (values.json) {
  const { region, asOf } = prices;
  stdout.write(`${JSON.stringify({ region, asOf, ...costs })}\n`);
} else {
  stdout.write(`Prices of ${prices.asOf} in ${prices.region}\n\n${table}`);
}
if (values.write) {
  const readme = join(import.meta.dirname, 'README.md');
  writeFileSync(readme, withTable(readFileSync(readme, 'utf8'), table));
}

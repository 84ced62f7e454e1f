import { expect, it } from 'vitest';
import { burstOf } from '#shared/domain/alerting/burst.ts';
import { anAlertInWords } from '#test/support/builders.ts';

it('sorts alerts about numbers of sales by the distance to the threshold, and shows a change in percent only from a value above 0', () => {
  const sold = [
    { value: '2', previous: '8' },
    { value: '0', previous: '3' },
    { value: '1', previous: '0' },
  ];
  const alerts = sold.map((given, index) =>
    anAlertInWords({
      ...{ id: `w${index}.1.1`, contract: `eth:0x${String(index).repeat(40)}`, name: `C${index}` },
      ...{ metric: 'sales.1d', unit: 'sales', threshold: '5', usd: null, ...given },
    }),
  );

  const worst = burstOf(alerts)?.worst.map((parts) =>
    parts.filter((part) => typeof part === 'string').join(''),
  );

  expect(worst).toEqual([' 0 sales (−100.0%)', ' 1 sale', ' 2 sales (−75.0%)']);
});

import { expect, it } from 'vitest';
import { crowdOf } from '#shared/domain/alerting/crowd.ts';
import { anAlertInWords } from '#test/support/builders.ts';

it('sorts numbers of sales by their distance to the threshold, with changes only from above 0', () => {
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

  const worst = crowdOf(alerts)?.worst.map((parts) =>
    parts.filter((part) => typeof part === 'string').join(''),
  );

  expect(worst).toEqual([' 0 sales (−100.0 %)', ' 1 sale', ' 2 sales (−75.0 %)']);
});

import { expect, it } from 'vitest';
import { withTraits } from '#shared/domain/market/contract.ts';
import { contractGroup } from '#shared/domain/messages/groups.ts';
import { PUNKS } from '#test/support/builders.ts';

it('gives each contract a message group id of its own, in characters that SQS allows', () => {
  const kinds = ['Gold', 'x'.repeat(60), 'y'.repeat(60)];
  const contracts = kinds.map((kind) => withTraits(PUNKS, { Fur: kind, Eyes: kind }) ?? PUNKS);

  const groups = [PUNKS, ...contracts].map((contract) =>
    contractGroup({ kind: 'apply', contract, tenant: 'acme', list: 'punks' }),
  );

  expect(groups.slice(0, 2)).toEqual([PUNKS, `${PUNKS}?Eyes=Gold&Fur=Gold`]);
  expect(new Set(groups).size).toBe(4);
  for (const group of groups)
    expect(group).toMatch(/^[\w!"#$%&'()*+,\-./:;<=>?@[\]^`{|}~]{1,128}$/);
});

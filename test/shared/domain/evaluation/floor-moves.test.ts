import { expect, it } from 'vitest';
import { floorMovesOf } from '#shared/domain/evaluation/floor-moves.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { newContractRecord } from '#shared/domain/polling/contract-record.ts';
import { aPrice, eth, NOON, PUNKS } from '#test/support/builders.ts';

it('computes the changes of a contract that was never polled from its imported floors', () => {
  const imported = [
    aPrice('50', { time: NOON - 2 * HOUR }),
    aPrice('60', { time: NOON - 30 * MINUTE }),
  ];

  const { floor, changes } = floorMovesOf(newContractRecord(PUNKS, NOON), imported, NOON);

  expect(floor?.price).toBe(eth('60'));
  expect(changes['1h']).toMatchObject({ kind: 'value', value: eth('20') });
});

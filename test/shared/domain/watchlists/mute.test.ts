import { expect, it } from 'vitest';
import { HOUR } from '#shared/domain/market/instant.ts';
import { type Mute, mutedUntil } from '#shared/domain/watchlists/mute.ts';
import { APES, NOON, PUNKS } from '#test/support/builders.ts';

const aMute = (hours: number, given: Partial<Mute> = {}): Mute => ({
  id: 'mute',
  by: undefined,
  from: NOON - HOUR,
  until: NOON + hours * HOUR,
  ...given,
});
const RULE = { id: 'low', severity: 'warning', contract: PUNKS, episode: 'w.1.episode-2' } as const;
const untilTheEndOf = (...names: readonly string[]) => ({
  episodes: names.map((name) => ({ watch: 'low', name })),
});

it.each<readonly [what: string, mutes: readonly Mute[], hours: number | undefined]>([
  ['of the list', [aMute(2)], 2],
  ['that is over', [aMute(0)], undefined],
  ['of the rule', [aMute(2, { rule: 'low' })], 2],
  ['of another rule', [aMute(2, { rule: 'high' })], undefined],
  ['of the severity', [aMute(2, { severity: 'warning' })], 2],
  ['of another severity', [aMute(2, { severity: 'critical' })], undefined],
  ['of the rule with another severity', [aMute(2, { rule: 'low', severity: 'info' })], undefined],
  ['of the contract', [aMute(2, { contract: PUNKS })], 2],
  ['of another contract', [aMute(2, { contract: APES })], undefined],
  ['of the rule on another contract', [aMute(2, { rule: 'low', contract: APES })], undefined],
  ['that ends with the open episode', [aMute(2, untilTheEndOf('w.1.episode-2'))], 2],
  ['that ends with one of two', [aMute(2, untilTheEndOf('v.1.episode-1', 'w.1.episode-2'))], 2],
  ['that ends with an earlier episode', [aMute(2, untilTheEndOf('w.1.episode-1'))], undefined],
  ['that ends last', [aMute(2), aMute(5, { rule: 'low' }), aMute(9, { rule: 'high' })], 5],
])('decides until when a mute %s covers a rule', (_what, mutes, hours) => {
  expect(mutedUntil(mutes, RULE, NOON)).toBe(hours === undefined ? undefined : NOON + hours * HOUR);
});

it('a mute of one contract does not cover an alert of a rule about all contracts', () => {
  const ofAll = { ...RULE, contract: undefined };

  expect(mutedUntil([aMute(2, { contract: PUNKS })], ofAll, NOON)).toBeUndefined();
});

it('a mute until the end of an episode does not cover the alert about that end', () => {
  const ofEnd = { ...RULE, episode: undefined };

  expect(mutedUntil([aMute(2, untilTheEndOf('w.1.episode-2'))], ofEnd, NOON)).toBeUndefined();
});

import { expect, it } from 'vitest';
import { createRecentAnswers } from '#functions/serve-nft-data/recent-answers.ts';
import { NOON } from '#test/support/builders.ts';

const anAnswer = (megabytes: number, version = 1) => ({
  version,
  good: { at: NOON, reported: { kind: 'ok', body: 'x'.repeat(megabytes * 1024 * 1024) } as const },
});

it('recent answers keep the newest answer to each request, and evict the oldest ones', () => {
  const recent = createRecentAnswers();
  for (let id = 0; id < 1000; id += 1) recent.keep(`${id}`, { version: 1 });
  recent.keep('0', { version: 2 });
  recent.keep('1000', { version: 1 });

  expect(recent.get('0')).toEqual({ version: 2 });
  expect(recent.get('1')).toBeUndefined();
  expect(recent.get('2')).toEqual({ version: 1 });
  expect(recent.get('1000')).toEqual({ version: 1 });
});

it('recent answers keep only as many bodies as fit into memory', () => {
  const recent = createRecentAnswers();
  for (const id of ['a', 'b', 'b', 'b', 'c']) recent.keep(id, anAnswer(10));
  const before = ['a', 'b', 'c'].map((id) => recent.get(id) !== undefined);

  recent.keep('d', anAnswer(5));

  expect(before).toEqual([true, true, true]);
  expect(['a', 'b', 'c', 'd'].map((id) => recent.get(id) !== undefined)).toEqual([
    false,
    true,
    true,
    true,
  ]);
});

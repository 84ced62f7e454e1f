import { expect, it } from 'vitest';
import * as z from 'zod';
import { openToken, signToken } from '#shared/domain/signed-token.ts';
import { NOON } from '#test/support/builders.ts';

const KEY = 'the key of links';
const Content = z.tuple([z.string(), z.int()]);
const token = signToken(KEY, 'action', ['apes', 1], NOON) ?? '';
const open = (now: number, schema: z.ZodType = Content) =>
  openToken(KEY, 'action', token, schema, now);

it('opens a signed token until it expires', () => {
  expect(open(NOON - 1)).toEqual({ kind: 'opened', content: ['apes', 1], endsAt: NOON });
  expect(open(NOON)).toEqual({ kind: 'ended' });
});

it('rejects a token for another purpose or signed with another key', () => {
  expect(openToken(KEY, 'chart', token, Content, 0)).toEqual({ kind: 'forged' });
  expect(openToken('another', 'action', token, Content, 0)).toEqual({ kind: 'forged' });
});

it('treats a token as expired if its content does not match the schema, as after an upgrade', () => {
  expect(open(0, z.tuple([z.int()]))).toEqual({ kind: 'ended' });
});

it('creates no token that would be too long for the links of chats', () => {
  expect(signToken(KEY, 'action', ['x'.repeat(300)], NOON)).toBeUndefined();
});

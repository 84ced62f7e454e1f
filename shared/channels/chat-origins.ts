import * as z from 'zod';
import { KINDS } from './kinds.ts';

/**
 * Where chats are reached instead of at their services, by kind. A stack on one machine names a
 * double of each.
 */
export const ChatOrigins = z.record(
  z.string().refine((kind) => isChat(kind), 'expected a kind of chat'),
  z.url({ protocol: /^https?$/ }),
);
export type ChatOrigins = z.output<typeof ChatOrigins>;

function isChat(name: string): boolean {
  return Object.entries(KINDS).some(([kind, { delivery }]) => kind === name && delivery === 'chat');
}

import * as z from 'zod';
import { KINDS } from './kinds.ts';

/**
 * Origins of chats by kind, used instead of the real services. A local stack sets the origin of a
 * fake for each kind.
 */
export const ChatOrigins = z.record(
  z.string().refine((kind) => isChat(kind), 'expected the kind of a chat, such as "slack"'),
  z.url({ protocol: /^https?$/ }),
);
export type ChatOrigins = z.output<typeof ChatOrigins>;

function isChat(name: string): boolean {
  return Object.entries(KINDS).some(([kind, { delivery }]) => kind === name && delivery === 'chat');
}

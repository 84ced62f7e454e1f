import { createChats } from '#shared/channels/channel-sender.ts';
import { CHATS } from '#shared/channels/chats.ts';
import type { HttpClient } from '#shared/clients/http-client.ts';
import { NOON } from '#test/support/builders.ts';
import { VAPID } from './push-key.ts';

/** All chats, with one server instead of each service. */
export function chatsAt(url: string, http: HttpClient, now = () => NOON) {
  const destinations = 'loopback-only' as const;
  return createChats({ http, now, vapid: VAPID, destinations, origins: chatOriginsAt(url) });
}

export function chatOriginsAt(url: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(CHATS).map((kind) => [kind, url]));
}

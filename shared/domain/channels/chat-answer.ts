/**
 * What a channel said to a notification: a topic has `accepted` it, `refused` will not change by
 * trying again, `no_topic` will when the list has its topic again, `gone` is the address itself.
 */
export type ChatAnswer =
  | { readonly kind: 'accepted' | 'sent' | 'no_topic' }
  | { readonly kind: 'refused' | 'gone'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterSeconds?: number };

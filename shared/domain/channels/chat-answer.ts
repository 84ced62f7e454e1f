/**
 * What a channel said to a notification: a topic has `accepted` it, `refused` will not change by
 * trying again, `no_topic` will when the list has its topic again, `gone` is the address itself,
 * `skipped` was never asked for: the channel has nothing that it could be shown in.
 */
export type ChatAnswer =
  | { readonly kind: 'accepted' | 'no_topic' }
  /** `shows`: what the service calls the message that shows the alert, where it can be changed. */
  | { readonly kind: 'sent'; readonly shows?: string }
  | { readonly kind: 'refused' | 'gone' | 'skipped'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterSeconds?: number };

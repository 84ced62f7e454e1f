/**
 * The result of sending a notification.
 * - `accepted`: a topic accepted the notification.
 * - `no_topic`: the topic of the list does not exist.
 * - `refused`: the service will never accept this notification.
 * - `gone`: the address no longer exists.
 * - `skipped`: the channel has no message to edit, so the service was not called.
 */
export type ChatAnswer =
  | { readonly kind: 'accepted' | 'no_topic' }
  /** `shows`: the id of the message at the service, if it can be edited. */
  | { readonly kind: 'sent'; readonly shows?: string }
  | { readonly kind: 'refused' | 'gone' | 'skipped'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterSeconds?: number };

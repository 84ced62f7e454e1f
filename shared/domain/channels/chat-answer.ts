/**
 * What a channel said to a letter: a topic has `accepted` it, `refused` will not change by trying
 * again.
 */
export type ChatAnswer =
  | { readonly kind: 'accepted' | 'sent' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterSeconds?: number };

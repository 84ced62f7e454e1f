/** What a chat said to a message; `refused` will not change by trying again. */
export type ChatAnswer =
  | { readonly kind: 'sent' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterSeconds?: number };

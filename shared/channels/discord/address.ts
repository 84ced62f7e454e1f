/** Whether a text is a webhook of Discord, and nothing else. */
export function isDiscordUrl(text: string): boolean {
  return /^https:\/\/discord\.com\/api\/webhooks\/\d{1,20}\/[\w-]{1,200}$/.test(text);
}

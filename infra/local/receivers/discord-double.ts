import type { Server } from 'node:http';
import * as z from 'zod';
import { createPace } from './pace.ts';
import { createReceiver, type OnRefusal, readMessage } from './receiver.ts';

export type DiscordPost = { readonly webhook: string; readonly message: DiscordMessage };

/**
 * A Discord whose webhooks take what the real ones take, by their published limits, and as fast:
 * thirty messages a minute. It insists on `allowed_mentions`, without which names could ping
 * people.
 */
export function createDiscordDouble(
  onPost: (post: DiscordPost) => void,
  onRefusal: OnRefusal,
  now: () => number,
): Server {
  const pace = createPace(30, 60_000, now);
  return createReceiver(({ path, body }) => {
    const [, webhook] = /^\/api\/webhooks\/(\d+)\/[\w-]+$/.exec(path) ?? [];
    if (webhook === undefined) {
      return refusal(404, 10_015, 'Unknown Webhook', `no webhook is at ${path}`);
    }
    const early = pace(webhook) / 1000;
    if (early > 0) {
      const said = { message: 'You are being rate limited.', retry_after: early, global: false };
      return {
        status: 429,
        headers: { 'retry-after': String(Math.ceil(early)) },
        body: JSON.stringify(said),
      };
    }
    const read = readMessage(DiscordMessage, body);
    if ('issue' in read) return refusal(400, 50_035, 'Invalid Form Body', read.issue);
    onPost({ webhook, message: read.message });
    return { status: 200, body: JSON.stringify({ id: '1', type: 0 }) };
  }, onRefusal);
}

function refusal(status: number, code: number, message: string, reason: string) {
  return { status, body: JSON.stringify({ message, code }), issue: `Discord: ${reason}` };
}

const words = (longest: number) => z.string().min(1).max(longest);
const Embed = z.strictObject({
  title: words(256).optional(),
  description: words(4096).optional(),
  url: z.url().optional(),
  timestamp: z.iso.datetime().optional(),
  color: z.int().min(0).max(0xffffff).optional(),
  fields: z
    .array(z.strictObject({ name: words(256), value: words(1024), inline: z.boolean().optional() }))
    .max(25)
    .optional(),
  footer: z.strictObject({ text: words(2048) }).optional(),
});
const DiscordMessage = z
  .strictObject({
    content: words(2000).optional(),
    embeds: z.array(Embed).max(10).optional(),
    allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
  })
  .refine(({ content, embeds = [] }) => content !== undefined || embeds.length > 0, {
    error: 'Cannot send an empty message',
  })
  .refine(({ embeds = [] }) => embeds.reduce((sum, embed) => sum + lengthOf(embed), 0) <= 6000, {
    error: 'the embeds have more than 6000 characters in all',
  });
type DiscordMessage = z.output<typeof DiscordMessage>;

function lengthOf({ title = '', description = '', fields = [], footer }: z.output<typeof Embed>) {
  const texts = [title, description, footer?.text ?? ''];
  for (const { name, value } of fields) texts.push(name, value);
  return texts.join('').length;
}

import * as z from 'zod';
import {
  type ChatDouble,
  createTakenMessages,
  type DoubleAnswer,
  ImageUrl,
  readMessage,
} from '#shared/channels/chat-double.ts';
import { createPace } from '#shared/channels/pace.ts';
import type { DiscordBody } from './kind.ts';

/**
 * A fake of Discord's webhooks with the published limits: thirty messages a minute, edits included.
 * The fake requires `allowed_mentions`, because names could ping people otherwise.
 */
export const discordDouble: ChatDouble<DiscordBody> = {
  channel: { id: 'hall', kind: 'discord', url: 'https://discord.com/api/webhooks/1001/hall' },
  create: (now) => {
    const pace = createPace(30, 60_000, now);
    const messages = createTakenMessages();
    return ({ method = 'POST', path, body }) => {
      const [, to, edits] =
        /^\/api\/webhooks\/(\d+)\/[\w-]+(?:\/messages\/(\d+))?$/.exec(path) ?? [];
      // Discord's "Get Webhook with Token".
      if (to !== undefined && edits === undefined && method === 'GET') {
        return { status: 200, body: JSON.stringify({ id: to, type: 1, name: 'floorwatch' }) };
      }
      if (to === undefined || method !== (edits === undefined ? 'POST' : 'PATCH')) {
        return refusal(404, 10_015, 'Unknown Webhook', `there is no webhook at ${path}`);
      }
      const early = pace(to) / 1000;
      if (early > 0) {
        const said = { message: 'You are being rate limited.', retry_after: early, global: false };
        return {
          status: 429,
          headers: { 'retry-after': String(Math.ceil(early)) },
          body: JSON.stringify(said),
        };
      }
      if (edits !== undefined && !messages.has(to, edits)) {
        return refusal(404, 10_008, 'Unknown Message', `there is no message at ${path}`);
      }
      const read = readMessage(DiscordMessage, body);
      if ('issue' in read) return refusal(400, 50_035, 'Invalid Form Body', read.issue);
      const { message } = read;
      const written = message.content ?? message.embeds?.[0]?.title ?? '';
      // Discord shows punctuation after a backslash as plain text.
      const subject = written.replaceAll(/\\(\p{P}|\p{S})/gu, '$1');
      const said = JSON.stringify({ id: edits ?? messages.add(to), type: 0 });
      const taken = { to, subject, message, ...(edits === undefined ? {} : { edits }) };
      return { status: 200, body: said, taken };
    };
  },
};

function refusal(status: number, code: number, message: string, reason: string): DoubleAnswer {
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
  image: z.strictObject({ url: ImageUrl.max(2048) }).optional(),
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
    error: 'expected at most 6000 characters in all embeds together',
  });

function lengthOf({ title = '', description = '', fields = [], footer }: z.output<typeof Embed>) {
  const texts = [title, description, footer?.text ?? ''];
  for (const { name, value } of fields) texts.push(name, value);
  return texts.join('').length;
}

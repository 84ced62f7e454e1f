import * as z from 'zod';
import {
  type ChatDouble,
  type DoubleAnswer,
  ImageUrl,
  PageUrl,
  readMessage,
} from '#shared/channels/chat-double.ts';
import { createPace } from '#shared/channels/pace.ts';
import type { SlackBody } from './kind.ts';

/**
 * A fake of Slack's incoming webhooks with the published limit of one message a second. It
 * tolerates intervals of 0.9 seconds because of network delays.
 */
export const slackDouble: ChatDouble<SlackBody> = {
  channel: { id: 'room', kind: 'slack', url: 'https://hooks.slack.com/services/T000/B001/room' },
  create: (now) => {
    const pace = createPace(1, 900, now);
    return ({ path, body }) => {
      const [, to] = /^\/services\/(T\w+\/B\w+)\/\w+$/.exec(path) ?? [];
      if (to === undefined) return refusal(404, 'no_service', `there is no webhook at ${path}`);
      const early = pace(to);
      if (early > 0) {
        const seconds = Math.ceil(early / 1000);
        return { status: 429, headers: { 'retry-after': String(seconds) }, body: 'rate_limited' };
      }
      const read = readMessage(SlackMessage, body);
      if ('issue' in read) return refusal(400, 'invalid_blocks', read.issue);
      const { message } = read;
      return { status: 200, body: 'ok', taken: { to, subject: message.text, message } };
    };
  },
};

function refusal(status: number, body: string, reason: string): DoubleAnswer {
  return { status, body, issue: `Slack: ${reason}` };
}

const plain = (longest: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(longest),
    emoji: z.boolean().optional(),
  });
const anyText = (longest: number) =>
  z.discriminatedUnion('type', [
    plain(longest),
    z.strictObject({
      type: z.literal('mrkdwn'),
      text: z.string().min(1).max(longest),
      verbatim: z.boolean().optional(),
    }),
  ]);
const block = { block_id: z.string().max(255).optional() };

/** The kinds of block that work without an app. */
const Block = z.discriminatedUnion('type', [
  z.strictObject({ ...block, type: z.literal('header'), text: plain(150) }),
  z
    .strictObject({
      ...block,
      type: z.literal('section'),
      text: anyText(3000).optional(),
      fields: z.array(anyText(2000)).min(1).max(10).optional(),
    })
    .refine(({ text, fields }) => text ?? fields, 'expected text or fields'),
  z.strictObject({
    ...block,
    type: z.literal('context'),
    elements: z.array(anyText(3000)).min(1).max(10),
  }),
  z.strictObject({
    ...block,
    type: z.literal('image'),
    image_url: ImageUrl.max(3000),
    alt_text: z.string().min(1).max(2000),
    title: plain(2000).optional(),
  }),
  z.strictObject({ ...block, type: z.literal('divider') }),
]);
const Color = z.string().regex(/^(good|warning|danger|#[0-9a-fA-F]{6})$/);
/** A button that opens a page ("Legacy: Message attachments", action fields). */
const LinkButton = z.strictObject({
  type: z.literal('button'),
  text: z.string().min(1).max(75),
  url: PageUrl.max(3000),
  style: z.enum(['default', 'primary', 'danger']).optional(),
});
export const SlackMessage = z.strictObject({
  text: z.string().min(1).max(40_000),
  blocks: z.array(Block).max(50),
  /** Shown next to a coloured bar ("Reference: Secondary message attachments"). */
  attachments: z
    .array(
      z.union([
        z.strictObject({ color: Color, blocks: z.array(Block).min(1).max(50) }),
        z.strictObject({
          color: Color,
          fallback: z.string().min(1),
          actions: z.array(LinkButton).min(1).max(5),
        }),
      ]),
    )
    .max(100)
    .optional(),
});

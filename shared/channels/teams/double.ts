import * as z from 'zod';
import {
  type ChatDouble,
  type DoubleAnswer,
  ImageUrl,
  PageUrl,
  readMessage,
} from '#shared/channels/chat-double.ts';
import { createPace } from '#shared/channels/pace.ts';
import type { TeamsBody } from './kind.ts';

/**
 * A fake of Teams workflows with the published limits: four messages a second, 28 KB each
 * (Microsoft, "Create an Incoming Webhook"). The fake gets no query string, so it checks no
 * signature.
 */
export const teamsDouble: ChatDouble<TeamsBody> = {
  channel: {
    ...{ id: 'floor', kind: 'teams' },
    url: 'https://0.0.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/1001/triggers/manual/paths/invoke?api-version=1&sig=floor-of-this-machine',
  },
  create: (now) => {
    const pace = createPace(4, 1000, now);
    return ({ path, body }) => {
      const [, to] = /\/workflows\/(\w+)\/triggers\/\w+\/paths\/invoke\/?$/.exec(path) ?? [];
      if (to === undefined)
        return refusal(404, 'WorkflowNotFound', `there is no workflow at ${path}`);
      if (pace(to) > 0) return { status: 429, body: problem('TooManyRequests') };
      const read = readMessage(TeamsMessage, body);
      if ('issue' in read) return refusal(400, 'InvalidRequestContent', read.issue);
      if (Buffer.byteLength(body) > 28 * 1024) {
        return refusal(413, 'RequestEntityTooLarge', 'the message is larger than 28 KB');
      }
      const { message } = read;
      const [first] = message.attachments[0].content.body;
      const subject = first?.type === 'RichTextBlock' ? (first.inlines[0]?.text ?? '') : '';
      return { status: 202, body: '', taken: { to, subject, message } };
    };
  },
};

function refusal(status: number, code: string, reason: string): DoubleAnswer {
  return { status, body: problem(code), issue: `Teams: ${reason}` };
}

function problem(code: string): string {
  return JSON.stringify({ error: { code, message: 'A message of the fake service.' } });
}

const spacing = z.enum(['default', 'none', 'small', 'medium', 'large']).optional();

/** Text without markup, which is safe for names given by people. */
const Text = z.strictObject({
  type: z.literal('RichTextBlock'),
  spacing,
  inlines: z
    .array(
      z.strictObject({
        type: z.literal('TextRun'),
        text: z.string().min(1),
        size: z.enum(['default', 'small', 'medium', 'large', 'extraLarge']).optional(),
        weight: z.enum(['default', 'lighter', 'bolder']).optional(),
        color: z.enum(['default', 'accent', 'good', 'warning', 'attention']).optional(),
        isSubtle: z.boolean().optional(),
      }),
    )
    .min(1),
});
/** A time in the reader's time zone. Other markup is rejected. */
const LocalTime = z.strictObject({
  type: z.literal('TextBlock'),
  text: z
    .string()
    .regex(/^\{\{DATE\(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, SHORT\)\}\} \{\{TIME\([-\dT:]+Z\)\}\}$/),
  size: z.literal('small').optional(),
  isSubtle: z.boolean().optional(),
});
const Columns = z.strictObject({
  type: z.literal('ColumnSet'),
  spacing,
  columns: z
    .array(
      z.strictObject({
        type: z.literal('Column'),
        width: z.string().regex(/^(auto|stretch|\d+px)$/),
        items: z.array(z.discriminatedUnion('type', [Text, LocalTime])).min(1),
      }),
    )
    .min(1),
});
const Image = z.strictObject({
  type: z.literal('Image'),
  url: ImageUrl,
  altText: z.string().optional(),
  size: z.enum(['auto', 'stretch', 'small', 'medium', 'large']).optional(),
});
const Card = z.strictObject({
  type: z.literal('AdaptiveCard'),
  version: z.enum(['1.2', '1.3', '1.4', '1.5']),
  body: z.array(z.discriminatedUnion('type', [Text, LocalTime, Columns, Image])).min(1),
  actions: z
    .array(
      z.strictObject({
        type: z.literal('Action.OpenUrl'),
        title: z.string().min(1),
        url: PageUrl,
      }),
    )
    .max(6)
    .optional(),
});
const TeamsMessage = z.strictObject({
  type: z.literal('message'),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      content: Card,
    }),
  ]),
});

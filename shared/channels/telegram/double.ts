import * as z from 'zod';
import {
  type ChatDouble,
  createTakenMessages,
  type DoubleAnswer,
  ImageUrl,
  PageUrl,
  readMessage,
} from '#shared/channels/chat-double.ts';
import { createPace } from '#shared/channels/pace.ts';
import type { TelegramBody } from './kind.ts';

/**
 * A fake of Telegram's Bot API with the published limit of one message a second to a chat. It
 * tolerates intervals of 0.9 seconds because of network delays.
 */
export const telegramDouble: ChatDouble<TelegramBody> = {
  channel: {
    ...{ id: 'lobby', kind: 'telegram', chat: '-1001001' },
    token: `1001001:${'lobby'.repeat(7)}`,
  },
  create: (now) => {
    const pace = createPace(1, 900, now);
    const messages = createTakenMessages();
    const texts = new Map<string, string>();
    return ({ path, body }) => {
      const [, bot, method] =
        /^\/bot(\d+):[\w-]{30,}\/(sendMessage|editMessageText|getChat)$/.exec(path) ?? [];
      if (bot === undefined) return refusal(404, 'Not Found', 'there is no bot with this token');
      if (method === 'getChat') {
        const { chat_id: id } = JSON.parse(body);
        return { status: 200, body: JSON.stringify({ ok: true, result: { id, type: 'group' } }) };
      }
      const isEdit = method === 'editMessageText';
      const read = readMessage(TelegramMessage, body);
      if ('issue' in read) return refusal(400, "Bad Request: can't parse entities", read.issue);
      const { message } = read;
      const edits = message.message_id?.toString();
      if (isEdit !== (edits !== undefined))
        return refusal(
          400,
          'Bad Request: message identifier is not specified',
          'editMessageText requires "message_id", and sendMessage does not allow it',
        );
      const place = `${bot} ${message.chat_id}`;
      if (edits !== undefined && !messages.has(place, edits)) {
        return refusal(
          400,
          'Bad Request: message to edit not found',
          'the chat has no message with this id',
        );
      }
      if (edits !== undefined && texts.get(edits) === message.text) {
        const why =
          'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';
        return {
          status: 400,
          body: JSON.stringify({ ok: false, error_code: 400, description: why }),
        };
      }
      const early = pace(place);
      if (early > 0) {
        const seconds = Math.ceil(early / 1000);
        const said = {
          ...{ ok: false, error_code: 429, parameters: { retry_after: seconds } },
          description: `Too Many Requests: retry after ${seconds}`,
        };
        return { status: 429, body: JSON.stringify(said) };
      }
      const shown = shownOf(message.text);
      const subject = shown.split('\n', 1)[0]?.replaceAll('\u2060', '') ?? '';
      const id = edits ?? messages.add(place);
      texts.set(id, message.text);
      const said = JSON.stringify({ ok: true, result: { message_id: Number(id) } });
      const taken = { to: message.chat_id, subject, message };
      return { status: 200, body: said, taken: edits === undefined ? taken : { ...taken, edits } };
    };
  },
};

function refusal(status: number, description: string, reason: string): DoubleAnswer {
  const body = JSON.stringify({ ok: false, error_code: status, description });
  return { status, body, issue: `Telegram: ${reason}` };
}

/** The tags that we use. Telegram refuses all other text in angle brackets. */
const TAG = /<(\/?)(b|i|a|blockquote)( href="https:\/\/[^"<>]+"| expandable)?>/g;

/** The text as readers see it. */
function shownOf(text: string): string {
  return text
    .replaceAll(TAG, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Whether all tags are closed in order, and no other text looks like a tag. */
function isHtml(text: string): boolean {
  const open: (string | undefined)[] = [];
  for (const [, slash, name] of text.matchAll(TAG)) {
    if (slash === '') open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0 && !/[<>]|&(?!(lt|gt|amp);)/.test(text.replaceAll(TAG, ''));
}

const TelegramMessage = z.strictObject({
  chat_id: z.string().regex(/^(-?\d+|@\w+)$/),
  text: z
    .string()
    .refine(isHtml, 'expected HTML with the tags that Telegram supports')
    .refine((text) => shownOf(text).trim() !== '', 'message text is empty')
    .refine((text) => shownOf(text).length <= 4096, 'message is too long'),
  parse_mode: z.literal('HTML'),
  /** The message to edit. */
  message_id: z.int().positive().optional(),
  link_preview_options: z
    .strictObject({
      is_disabled: z.boolean().optional(),
      url: ImageUrl.optional(),
      prefer_large_media: z.boolean().optional(),
    })
    .optional(),
  /** Only buttons that open a page (Bot API, "InlineKeyboardButton"). */
  reply_markup: z
    .strictObject({
      inline_keyboard: z.array(
        z.array(z.strictObject({ text: z.string().min(1), url: PageUrl })).max(8),
      ),
    })
    .optional(),
});

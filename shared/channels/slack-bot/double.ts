import * as z from 'zod';
import {
  type ChatDouble,
  createTakenMessages,
  type DoubleAnswer,
  readMessage,
} from '#shared/channels/chat-double.ts';
import { createPace } from '#shared/channels/pace.ts';
import { SlackMessage } from '#shared/channels/slack/double.ts';
import type { SlackBotBody } from './kind.ts';

/**
 * A fake of Slack's Web API for a bot, with the published limits: one message a second to a
 * channel, and fifty edits a minute (tier 3). It tolerates intervals of 0.9 seconds because of
 * network delays.
 */
export const slackBotDouble: ChatDouble<SlackBotBody> = {
  channel: {
    ...{ id: 'team', kind: 'slack_bot', channel: 'C0TEAM0001' },
    token: `xoxb-1001-1001-${'team'.repeat(6)}`,
  },
  create: (now) => {
    const posts = createPace(1, 900, now);
    const changes = createPace(50, 60_000, now);
    const messages = createTakenMessages();
    return ({ path, headers = {}, body }) => {
      const [, method] = /^\/api\/(chat\.postMessage|chat\.update|auth\.test)$/.exec(path) ?? [];
      if (method === undefined) return refusal('unknown_method', `there is no method at ${path}`);
      if (!/^Bearer xoxb-[\w-]{20,}$/.test(headers.authorization ?? '')) {
        return refusal('not_authed', 'the request has no bot token');
      }
      if (!/charset=utf-8$/.test(headers['content-type'] ?? '')) {
        return refusal('invalid_charset', 'expected a content type with charset=utf-8');
      }
      if (method === 'auth.test') {
        return { status: 200, body: JSON.stringify({ ok: true, team: 'team', bot_id: 'B001' }) };
      }
      const isChange = method === 'chat.update';
      const read = readMessage(Message, body);
      if ('issue' in read) return refusal('invalid_blocks', read.issue);
      const { message } = read;
      const { channel: to, ts } = message;
      if (isChange !== (ts !== undefined))
        return refusal(
          'invalid_arguments',
          'chat.update requires "ts", and chat.postMessage does not allow it',
        );
      const edits = ts?.replace(/\.\d+$/, '');
      if (edits !== undefined && !messages.has(to, edits)) {
        return refusal('message_not_found', `the channel ${to} has no message with this ts`);
      }
      const early = isChange ? changes('') : posts(to);
      if (early > 0) {
        const seconds = Math.ceil(early / 1000);
        const said = JSON.stringify({ ok: false, error: 'ratelimited' });
        return { status: 429, headers: { 'retry-after': String(seconds) }, body: said };
      }
      const name = edits ?? messages.add(to);
      const said = JSON.stringify({ ok: true, channel: to, ts: `${name}.000100` });
      const taken = { to, subject: message.text, message };
      return { status: 200, body: said, taken: edits === undefined ? taken : { ...taken, edits } };
    };
  },
};

function refusal(error: string, reason: string): DoubleAnswer {
  return { status: 200, body: JSON.stringify({ ok: false, error }), issue: `Slack: ${reason}` };
}

/** The request of both methods; `ts` identifies the message to edit. */
const Message = SlackMessage.extend({
  channel: z.string().regex(/^[CGD][A-Z0-9]+$/),
  ts: z
    .string()
    .regex(/^\d+\.\d+$/)
    .optional(),
});

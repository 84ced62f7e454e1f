import { describe, expect, it } from 'vitest';
import { CHATS } from '#shared/channels/chats.ts';
import { discordMessage } from '#shared/channels/discord/message.ts';
import { DOUBLES } from '#shared/channels/doubles.ts';
import { type Chat, createPostToChat } from '#shared/channels/post-to-chat.ts';
import { slackMessage } from '#shared/channels/slack/message.ts';
import { teamsMessage } from '#shared/channels/teams/message.ts';
import { telegramMessage } from '#shared/channels/telegram/message.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { anAlert, NOON } from '#test/support/builders.ts';
import { startHttpServer } from '#test/support/http-server.ts';
import { VAPID } from '#test/support/push-key.ts';

const chart = 'https://api.example.com/prod/v1/charts/W10.c2lnbmVk.png';
const notification = { kind: 'alert', alert: anAlert(), chart } as const;
const { chart: _chart, ...without } = notification;

describe('the chart in the message of an alert', () => {
  it('shows the chart in Slack as an image with an alternative text, below the message', () => {
    const [{ blocks }] = slackMessage(notification).attachments;
    const types = blocks.map(({ type }) => type);

    expect(blocks).toContainEqual({
      ...{ type: 'image', image_url: chart, alt_text: 'Chart of the prices before the alert' },
    });
    expect(types.indexOf('image')).toBeGreaterThan(types.indexOf('section'));
    expect(JSON.stringify(slackMessage(without))).not.toContain('image');
  });

  it('shows the chart in Discord as the image of the embed', () => {
    expect(discordMessage(notification).embeds[0].image).toEqual({ url: chart });
    expect(discordMessage(without).embeds[0]).not.toHaveProperty('image');
  });

  it('shows the chart in Teams as an image as wide as the card', () => {
    const { body } = teamsMessage(notification).attachments[0].content;

    expect(body.filter(({ type }) => type === 'Image')).toEqual([
      expect.objectContaining({ url: chart, size: 'stretch' }),
    ]);
    expect(JSON.stringify(teamsMessage(without))).not.toContain('"Image"');
  });

  it('shows the chart in Telegram as the only link preview', () => {
    expect(telegramMessage(notification).link_preview_options).toEqual({
      ...{ url: chart, prefer_large_media: true },
    });
    expect(telegramMessage(without).link_preview_options).toEqual({ is_disabled: true });
  });
});

it.each(Object.entries(DOUBLES))(
  'sends a message with a chart to %s as the service documents it',
  async (kind, double) => {
    const chat = CHATS[kind as keyof typeof CHATS] as unknown as Chat<typeof double.channel>;
    const request = await chat.requestOf(double.channel, notification, {
      now: () => NOON,
      vapid: VAPID,
    });
    const { pathname } = new URL(request?.url ?? '');

    const { status, issue } = double.create(() => NOON)({
      ...{ path: pathname, body: JSON.stringify(request?.message) },
      ...(Buffer.isBuffer(request?.message) && { bytes: request.message }),
      ...(request?.headers && { headers: request.headers }),
    });

    expect({ issue, isTaken: status < 300 }).toEqual({ issue: undefined, isTaken: true });
  },
);

it.each([
  { answers: [400, 200], kind: 'sent', sent: ['with', 'without'] },
  { answers: [400, 400], kind: 'refused', sent: ['with', 'without'] },
  { answers: [500], kind: 'failed', sent: ['with'] },
])('repeats a rejected message without its chart: $answers', async (given) => {
  const left = [...given.answers];
  await using server = await startHttpServer((response) => {
    response.writeHead(left.shift() ?? 200).end('invalid_blocks');
  });
  const http = createHttpClient({ deadlineMs: 5000, maxBodyBytes: 1024, maxConnections: 1 });
  const post = createPostToChat(CHATS.slack, { http, origin: server.url, now: () => NOON });
  const address = { url: 'https://hooks.slack.com/services/T000/B000/s3cret' };

  const answer = await post(
    { kind: 'slack', ...address },
    notification,
    new AbortController().signal,
  );

  expect(answer.kind).toBe(given.kind);
  expect(server.requests.map(({ body }) => (body.includes(chart) ? 'with' : 'without'))).toEqual(
    given.sent,
  );
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { startReceivers } from '#infra/local/receivers/start-receivers.ts';
import { probeChannel } from '#infra/operate/probe/probe-channel.ts';
import type { ChannelBody } from '#shared/channels/channel-body.ts';
import { DOUBLES } from '#shared/channels/doubles.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';

const { signal } = new AbortController();
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

async function world() {
  const taken: string[] = [];
  const receivers = await startReceivers({
    ...{ webhookSecret: WEBHOOK_SECRET, webhookPort: 0, now: Date.now },
    deliver: ({ kind }) => taken.push(kind),
    onRefusal: () => {},
  });
  onTestFinished(receivers.close);
  const http = createHttpClient({ deadlineMs: 5000, maxBodyBytes: 65_536, maxConnections: 2 });
  const ask = async (channel: ChannelBody, sends = false) =>
    await probeChannel(
      channel,
      sends,
      {
        ...{ http, strangers: http, now: Date.now, origins: receivers.chatOrigins },
        newChallenge: () => 'a-challenge',
      },
      signal,
    );
  const webhook = (secret: string): ChannelBody => ({
    ...{ kind: 'webhook', url: `${receivers.webhookOrigin}/alerts`, secrets: [secret] },
  });
  return { ask, taken, webhook };
}

const { slack, slack_bot: slackBot, discord, telegram, teams, pagerduty } = DOUBLES;
const [READ, POSTED] = [
  [slack, slackBot, discord, telegram].map(({ channel }) => channel),
  Object.values(DOUBLES)
    .map(({ channel }) => channel)
    .filter(({ kind }) => kind !== 'push'),
];

describe('a probed channel', () => {
  it.each(READ)('a channel of kind $kind is probed without sending a message', async (channel) => {
    const { ask, taken } = await world();

    const probed = await ask(channel);

    expect(probed).toMatchObject({
      subject: `${channel.kind} (${channel.id})`,
      findings: [
        { check: 'delivery', agrees: true },
        { check: 'clock', agrees: true },
      ],
    });
    expect(taken).toEqual([]);
  });

  it('a webhook is probed by a challenge, which fails for another signing secret', async () => {
    const { ask, taken, webhook } = await world();

    const outcomes = [await ask(webhook(WEBHOOK_SECRET)), await ask(webhook(OTHER_SECRET))];

    expect(outcomes).toMatchObject([
      { findings: [{ answer: 'challenge', agrees: true }, {}] },
      { findings: [{ answer: 'challenge', agrees: false, found: 'HTTP 401' }, {}] },
    ]);
    expect(taken).toEqual([]);
  });

  it.each(POSTED)('a sample alert is posted to $kind only with --send', async (channel) => {
    const { ask, taken } = await world();

    const probed = await ask(channel, true);

    expect(probed).toMatchObject({ findings: [{ answer: 'sample alert', agrees: true }, {}] });
    expect(taken).toEqual([channel.kind]);
  });

  it.each([teams.channel, pagerduty.channel, { kind: 'email', to: 'ops@example.com' } as const])(
    'a probe skips a channel of kind $kind, and gives the reason',
    async (channel) => {
      const { ask, taken } = await world();

      expect(await ask(channel)).toEqual({
        subject: expect.any(String),
        reason: expect.any(String),
      });
      expect(taken).toEqual([]);
    },
  );

  it('a probe reports a channel that does not exist at its service', async () => {
    const { ask } = await world();
    const url = 'https://discord.com/api/webhooks/1001/hall/gone';

    const probed = await ask({ ...discord.channel, url });

    expect(probed).toMatchObject({
      findings: [{ agrees: false, found: 'HTTP 404 code 10015' }, {}],
    });
  });
});

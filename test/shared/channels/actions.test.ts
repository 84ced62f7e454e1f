import { describe, expect, it } from 'vitest';
import { CHATS } from '#shared/channels/chats.ts';
import { discordMessage } from '#shared/channels/discord/message.ts';
import { DOUBLES } from '#shared/channels/doubles.ts';
import { pagerdutyEvent } from '#shared/channels/pagerduty/message.ts';
import type { Chat } from '#shared/channels/post-to-chat.ts';
import { slackMessage } from '#shared/channels/slack/message.ts';
import { teamsMessage } from '#shared/channels/teams/message.ts';
import { telegramMessage } from '#shared/channels/telegram/message.ts';
import { alertMessage } from '#shared/domain/alerting/alert-message.ts';
import { emailText } from '#shared/domain/alerting/email-text.ts';
import { digestOf } from '#shared/domain/alerting/notification.ts';
import { anAlert, NOON } from '#test/support/builders.ts';
import { VAPID } from '#test/support/push-key.ts';

const actions = 'https://api.example.com/prod/v1/actions/W10.c2lnbmVk';
const notification = { kind: 'alert', alert: anAlert(), actions } as const;
const { actions: _actions, ...without } = notification;
const LINKS = [
  ['Acknowledge', `${actions}?do=acknowledge`],
  ['Snooze 1 h', `${actions}?do=snooze-1h`],
  ['Snooze 4 h', `${actions}?do=snooze-4h`],
  ['Snooze until recovered', `${actions}?do=snooze-until-recovered`],
] as const;

describe('actions for the alert of a message', () => {
  it('shows the actions in Slack as link buttons, which need no application, with the acknowledgement highlighted', () => {
    const [{ blocks }, buttons, ...others] = slackMessage(notification).attachments;

    expect(buttons?.actions).toEqual(
      LINKS.map(([text, url], index) => ({
        ...{ type: 'button', text, url },
        ...(index === 0 ? { style: 'primary' } : {}),
      })),
    );
    expect(others).toEqual([]);
    const acknowledged = slackMessage({ ...notification, isAcknowledged: true });
    expect(JSON.stringify(acknowledged)).not.toContain('primary');
    expect(JSON.stringify(blocks)).not.toContain('button');
  });

  it('shows the actions in Discord as links above those to the collection', () => {
    const { description = '' } = discordMessage(notification).embeds[0];

    expect(description.split('\n').at(-2)).toBe(
      LINKS.map(([label, url]) => `[${label}](${url})`).join(' · '),
    );
  });

  it('shows the actions in Telegram as buttons', () => {
    const { inline_keyboard: rows = [] } = telegramMessage(notification).reply_markup ?? {};

    expect(rows.map((row) => row.length)).toEqual([2, 2]);
    expect(rows.flat().map(({ text, url }) => [text, url])).toEqual(LINKS);
  });

  it('shows the actions in Teams as buttons before the links to the collection', () => {
    const { actions: buttons } = teamsMessage(notification).attachments[0].content;

    expect(buttons.slice(0, 4).map(({ title, url }) => [title, url])).toEqual(LINKS);
  });

  it('shows the actions in PagerDuty as links of the incident', () => {
    const { links } = pagerdutyEvent(notification);

    expect(links.slice(-4).map(({ text, href }) => [text, href])).toEqual(LINKS);
  });

  it('shows the actions in an email as one link to a page with all of them', () => {
    const text = emailText(notification);

    expect(text).toContain(`\nAcknowledge or snooze: ${LINKS[0][1]}\n\n`);
    expect(text.split(actions)).toHaveLength(2);
  });

  it('lists the link of each action under its name in the JSON for programs', () => {
    expect(alertMessage(notification).links.actions).toEqual({
      acknowledge: LINKS[0][1],
      'snooze-1h': LINKS[1][1],
      'snooze-4h': LINKS[2][1],
      'snooze-until-recovered': LINKS[3][1],
    });
    expect(alertMessage(without).links.actions).toEqual({});
  });

  it('shows no actions in a digest, or in an alert that has none', () => {
    for (const other of [without, digestOf('d', [anAlert(), anAlert({ id: 'b.1.1' })])]) {
      const messages = [slackMessage, discordMessage, telegramMessage, teamsMessage].map((make) =>
        make(other),
      );
      expect(`${JSON.stringify(messages)}${emailText(other)}`).not.toMatch(
        /Snooze|inline_keyboard/,
      );
    }
  });
});

it.each(Object.entries(DOUBLES))(
  'sends the longest message and the longest links to %s within its documented limits',
  async (kind, double) => {
    const chat = CHATS[kind as keyof typeof CHATS] as unknown as Chat<typeof double.channel>;
    const facts = Array.from({ length: 12 }, (_, index) => ({
      ...{ name: `Condition ${index}`, value: '*'.repeat(400) },
    }));
    const longest = {
      ...({ kind: 'alert' } as const),
      ...{ chart: `https://api.example.com/${'c'.repeat(440)}.png` },
      alert: anAlert({ facts, title: '*'.repeat(400), watchlist: 'w'.repeat(40) }),
      actions: `https://api-of-a-region.example.com/prod/v1/actions/${'a'.repeat(399)}`,
    } as const;
    const request = await chat.requestOf(double.channel, longest, {
      now: () => NOON,
      vapid: VAPID,
    });
    const { pathname } = new URL(request?.url ?? '');

    const { status, issue } = double.create(() => NOON)({
      ...{ path: pathname, body: JSON.stringify(request?.message) },
      ...(Buffer.isBuffer(request?.message) && { bytes: request.message }),
      ...(request?.headers && { headers: request.headers }),
    });

    expect([issue, Math.floor(status / 100)]).toEqual([undefined, 2]);
  },
);

import { describe, expect, it } from 'vitest';
import { emailMessage } from '#shared/channels/email/message.ts';
import { digestOf } from '#shared/domain/alerting/notification.ts';
import { notificationParts } from '#shared/domain/alerting/notification-parts.ts';
import { EXAMPLES } from '#test/messages/examples.ts';
import { anAlertInWords } from '#test/support/builders.ts';

const URL = 'https://api.example/v1/subscriptions/x.y';
const alert = anAlertInWords();
const chart = 'https://api.example/v1/charts/x.y.png';
const actions = 'https://api.example/v1/actions/x.y';

describe('an email', () => {
  it('shows everything from the text of an email in its HTML, too', () => {
    for (const { notification } of EXAMPLES) {
      const { html, subject } = emailMessage(notification, URL);
      const shown = html.replaceAll(/&#(\d+);/g, (_all, code) => String.fromCharCode(code));

      expect(shown).toContain(subject.replace(/…$/, ''));
      const { why = '', facts, details, origin, ids } = notificationParts(notification);
      const values = [...facts, ...details].map(({ value }) => value);
      for (const said of [why, ...values, ...origin, ...ids]) expect(shown).toContain(said);
    }
  });

  it('keeps the news visible in the subject of an email, however long the name is', () => {
    const named = anAlertInWords({ name: '猿'.repeat(80), usd: null, previous: null });

    const { subject } = emailMessage({ kind: 'alert', alert: named }, URL);

    expect(subject).toMatch(/^🟠 猿+… below 60 ETH: 59\.9 ETH$/u);
    expect(subject.length).toBeLessThanOrEqual(60);
  });

  it('an email contains the chart, the actions and the unsubscribe link, in HTML and in text', () => {
    const { html, text } = emailMessage({ kind: 'alert', alert, chart, actions }, URL);

    expect(html).toContain(`<img src="${chart}" alt="Chart of the prices before the alert"`);
    for (const action of ['acknowledge', 'snooze-1h', 'snooze-4h', 'snooze-until-recovered']) {
      expect(html).toContain(`href="${actions}?do=${action}"`);
    }
    expect(html).toContain(`<a href="${URL}">Unsubscribe</a>`);
    expect(text).toContain(`Chart: ${chart}`);
    expect(text).toContain(`${actions}?do=acknowledge`);
    expect(text).toContain(`Unsubscribe: ${URL}`);
  });

  it('an email loads nothing except its chart', () => {
    const withChart = emailMessage({ kind: 'alert', alert, chart, actions }, URL).html;
    const digest = emailMessage(digestOf('d1', [alert, alert]), URL).html;
    const loaded = (html: string) => html.match(/(src|background|url\()[^ >]*/g);

    expect(loaded(withChart)).toEqual([`src="${chart}"`]);
    expect(loaded(digest)).toBeNull();
  });

  it('an email has one column, and breaks only words that are wider than the screen', () => {
    for (const { notification } of EXAMPLES) {
      const { html } = emailMessage(notification, URL);

      expect(html).toContain('overflow-wrap:break-word');
      expect(html).not.toMatch(/<t[dh]\b|anywhere|break-all|nowrap/);
    }
  });

  it('an email sets no text or background colours, because of dark mode', () => {
    const { html } = emailMessage({ kind: 'alert', alert, chart, actions }, URL);

    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).not.toMatch(/background|[;"]color:(?!inherit)/);
  });
});

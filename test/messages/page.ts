import { discordMessage } from '#shared/channels/discord/message.ts';
import { emailMessage } from '#shared/channels/email/message.ts';
import { pagerdutyEvent } from '#shared/channels/pagerduty/message.ts';
import { pushMessage } from '#shared/channels/push/message.ts';
import { slackMessage } from '#shared/channels/slack/message.ts';
import { teamsMessage } from '#shared/channels/teams/message.ts';
import { telegramMessage } from '#shared/channels/telegram/message.ts';
import { emailText } from '#shared/domain/alerting/email-text.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { subjectLine } from '#shared/domain/alerting/subject-line.ts';
import { EXAMPLES } from './examples.ts';

/**
 * Renders every message approximately as its reader sees it, from exactly the sent data. Most cards
 * also contain that data.
 */
export function messagesPage(): string {
  const contents = EXAMPLES.map(({ what }) => `<a href="#${anchor(what)}">${what}</a>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>floorwatch: every message</title>
<style>${STYLE}</style>
<h1>Every message</h1>
<p>Each kind of alert, as each kind of channel shows it. <code>npm run messages</code> writes this page.</p>
<nav>${contents.join(' · ')}</nav>
${EXAMPLES.map(sectionOf).join('\n')}
</html>
`;
}

function sectionOf({ what, notification }: (typeof EXAMPLES)[number]): string {
  const shown = Object.entries(RENDERED).flatMap(([name, render]) => {
    const card = render(notification);
    return card === undefined ? [] : [cardOf(name, card)];
  });
  return `<h2 id="${anchor(what)}">${what}</h2>\n<main>\n${shown.join('\n')}\n</main>`;
}

type Card = { readonly html: string; readonly sent?: unknown };

function cardOf(name: string, { html, sent }: Card): string {
  const exact =
    sent === undefined
      ? ''
      : `<details><summary>sent</summary><pre>${escaped(JSON.stringify(sent))}</pre></details>`;
  return `<article class="${name.toLowerCase().replaceAll(' ', '-')}"><h3>${name}</h3>${html}${exact}</article>`;
}

/** The rendering of a notification for each kind of channel, in the order of the page. */
const RENDERED: Readonly<Record<string, (notification: Notification) => Card | undefined>> = {
  Email: (notification) => ({
    html: `<b>${escaped(subjectLine(notification))}</b><pre>${escaped(emailText(notification))}</pre>`,
  }),
  'Email by SES': (notification) => {
    const sent = emailMessage(notification, 'https://api.example/v1/subscriptions/x.y');
    const shown = escaped(sent.html).replaceAll('"', '&quot;');
    const html = `<b>${escaped(sent.subject)}</b><iframe title="The email as its reader sees it" sandbox="allow-same-origin" onload="this.style.height=this.contentDocument.documentElement.scrollHeight+'px'" srcdoc="${shown}"></iframe>`;
    return { html, sent: { subject: sent.subject, text: sent.text } };
  },
  Slack: (notification) => {
    const sent = slackMessage(notification);
    const [{ color, blocks }, ...others] = sent.attachments;
    const behindBar = blocks.map((block) => {
      if ('text' in block) return `<p>${slackText(block.text)}</p>`;
      if ('fields' in block)
        return `<div class="two">${block.fields.map(slackText).join('')}</div>`;
      if (block.type === 'image') return `<img src="${block.image_url}" alt="${block.alt_text}">`;
      return `<small>${block.elements.map(slackText).join('')}</small>`;
    });
    const [{ text }] = sent.blocks;
    const buttons = others.flatMap(({ actions }) => actions).map(button);
    const bars = [behindBar.join(''), ...(buttons.length === 0 ? [] : [buttons.join(' ')])].map(
      (behind) => `<div class="bar" style="border-color:${color}">${behind}</div>`,
    );
    return { html: `<h4>${escaped(text.text)}</h4>${bars.join('')}`, sent };
  },
  Discord: (notification) => {
    const sent = discordMessage(notification);
    const [{ title, description = '', fields = [], footer, timestamp = '', color }] = sent.embeds;
    const shown = fields.map(
      ({ name, value, inline }) =>
        `<div class="${inline ? 'inline' : 'row'}"><b>${escaped(name)}</b><br>${discordText(value)}</div>`,
    );
    const html = [
      `<div class="bar" style="border-color:#${color.toString(16).padStart(6, '0')}">`,
      `<h4>${discordText(title)}</h4><p>${discordText(description)}</p>`,
      `<div class="fields">${shown.join('')}</div>`,
      `<small>${escaped(footer.text)} ${timestamp}</small></div>`,
    ];
    return { html: html.join(''), sent };
  },
  Telegram: (notification) => {
    const sent = telegramMessage(notification);
    const rows = sent.reply_markup?.inline_keyboard ?? [];
    const buttons = rows.flat().map(button);
    return { html: `<p>${sent.text}</p><p>${buttons.join(' ')}</p>`, sent };
  },
  Teams: (notification) => {
    const sent = teamsMessage(notification);
    const { body, actions } = sent.attachments[0].content;
    const lines = body.map((element) => {
      if (element.type === 'RichTextBlock') return `<div>${teamsText(element)}</div>`;
      if (element.type === 'TextBlock')
        return `<div class="subtle small">${escaped(teamsMoment(element.text))}</div>`;
      if (element.type === 'Image') return `<img src="${element.url}" alt="${element.altText}">`;
      const columns = element.columns.map(({ items: [item] }) => `<div>${teamsText(item)}</div>`);
      return `<div class="columns">${columns.join('')}</div>`;
    });
    const buttons = actions.map(({ title, url }) => button({ text: title, url }));
    return { html: `${lines.join('')}<p>${buttons.join(' ')}</p>`, sent };
  },
  Push: (notification) => {
    const sent = pushMessage(notification);
    const { body, image, actions, silent } = sent.options;
    const picture = image === undefined ? '' : `<img src="${image}" alt="">`;
    const buttons = actions.map(({ title }) => `<span class="button">${escaped(title)}</span>`);
    const html = [
      `<h4>${escaped(sent.title)}</h4><div>${escaped(body)}</div>${picture}`,
      `<p>${buttons.join(' ')}</p><small>${silent ? 'without a sound' : 'with a sound'}</small>`,
    ];
    return { html: html.join(''), sent };
  },
  PagerDuty: (notification) => {
    if (notification.kind === 'digest') return undefined;
    const sent = pagerdutyEvent(notification);
    const { event_action, dedup_key, payload, links } = sent;
    const rows = Object.entries(payload.custom_details).map(
      ([name, value]) => `<div>${escaped(name)}</div><div>${escaped(value)}</div>`,
    );
    const linked = links.map(({ href, text }) => `<a href="${href}">${text}</a>`);
    const html = [
      `<h4>${escaped(payload.summary)}</h4>`,
      `<small>${event_action} ${dedup_key}, ${payload.severity}</small>`,
      `<div class="two">${rows.join('')}</div><p>${linked.join(' · ')}</p>`,
    ];
    return { html: html.join(''), sent };
  },
  Programs: (notification) =>
    notification.kind === 'digest'
      ? undefined
      : { html: '<p>SQS and webhooks get the alert itself.</p>', sent: notification.alert },
};

type SlackPart = { readonly type: 'plain_text' | 'mrkdwn'; readonly text: string };

function slackText({ type, text }: SlackPart): string {
  if (type === 'plain_text') return `<div>${escaped(text)}</div>`;
  const html = text
    .replaceAll(/<!date\^\d+\^[^|]*\|([^>]*)>/g, '$1')
    .replaceAll(/<(https:[^|>]*)\|([^>]*)>/g, '<a href="$1">$2</a>')
    .replaceAll(/\*([^*]+)\*/g, '<b>$1</b>');
  return `<div>${html}</div>`;
}

function discordText(text: string): string {
  const links: string[] = [];
  const bare = text.replaceAll(/\[([\w .]+)\]\((https:[^)]*)\)/g, (_all, host, url) => {
    links.push(`<a href="${url}">${host}</a>`);
    return `\u0000`;
  });
  const shown = escaped(bare.replaceAll(/\\([^0-9A-Za-z\s])/g, '$1'));
  return links.reduce((html, link) => html.replace('\u0000', link), shown);
}

type TeamsItem = Extract<
  ReturnType<typeof teamsMessage>['attachments'][0]['content']['body'][number],
  { readonly type: 'ColumnSet' }
>['columns'][1]['items'][0];

/** Teams shows the time in the reader's own time zone. */
function teamsMoment(text: string): string {
  return text.replaceAll(/\{\{(?:DATE|TIME)\(([^,)]*)[^)]*\)\}\}/g, '$1');
}

function teamsText(item: TeamsItem): string {
  const [{ text, weight, color, size, isSubtle }] = item.inlines;
  const classes = [weight, color, size, isSubtle === true ? 'subtle' : undefined];
  return `<span class="${classes.filter((one) => one !== undefined).join(' ')}">${escaped(text)}</span>`;
}

function button({ text, url }: { readonly text: string; readonly url: string }): string {
  return `<a class="button" href="${url}">${text}</a>`;
}

function anchor(what: string): string {
  return what.replaceAll(/[^a-z_]+/g, '-');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const STYLE = `
body { font: 14px/1.4 system-ui, sans-serif; margin: clamp(8px, 3vw, 2em); background: #f4f4f4; color: #1d1c1d }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(360px, 100%), 1fr)); gap: 1em; align-items: start }
article { min-width: 0; background: #fff; border-radius: 6px; padding: 1em; overflow-wrap: anywhere; white-space: pre-line }
article h3 { font-size: 11px; margin: 0 0 .7em; color: #888; text-transform: uppercase }
h4 { margin: .2em 0 .6em; font-size: 16px }
img { max-width: 100% }
pre { font: 12px/1.4 ui-monospace, monospace; white-space: pre-wrap; margin: .5em 0 }
small { color: #777; display: block; margin-top: .6em }
details { margin-top: .8em; color: #888 }
.email pre { font: inherit }
iframe { width: 100%; height: 300px; border: 0; margin-top: .5em }
.bar { border-left: 4px solid; padding-left: 12px; margin-top: 6px }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 4px 12px; margin: .4em 0 }
.columns { display: grid; grid-template-columns: 120px 1fr; margin-top: 4px }
.discord { background: #313338; color: #dbdee1 }
.discord a { color: #00a8fc }
.fields { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 8px }
.row { grid-column: 1 / -1 }
.telegram { background: #effdde }
blockquote { margin: 0; padding-left: 8px; border-left: 3px solid #7cb86b; color: #555; font-size: 12px }
.small { font-size: 12px }
.bolder { font-weight: 600 }
.medium { font-size: 16px }
.subtle { color: #777 }
.attention { color: #c4314b }
.warning { color: #986f0b }
.accent { color: #2b5797 }
.good { color: #237b4b }
.button { display: inline-block; margin: 2px 0; border: 1px solid #bbb; border-radius: 4px; padding: 3px 10px; color: inherit; text-decoration: none }
`;

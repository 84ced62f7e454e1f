import { emailText } from '#shared/domain/alerting/email-text.ts';
import {
  type Notification,
  notificationTone,
  type Tone,
} from '#shared/domain/alerting/notification.ts';
import {
  datedDetails,
  inSmallPrint,
  type NotificationParts,
  notificationParts,
} from '#shared/domain/alerting/notification-parts.ts';
import { emailSubject } from '#shared/domain/alerting/subject-line.ts';
import { html, type Markup } from '#shared/domain/markup.ts';

/** An email as HTML and as plain text. */
export type EmailMessage = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
};

/**
 * A notification as an email. Its only remote image is the chart. Many mail programs block it at
 * first, so the facts repeat its content.
 */
export function emailMessage(notification: Notification, unsubscribeUrl: string): EmailMessage {
  const parts = notificationParts(notification);
  const chart = parts.chart === undefined ? [] : [`Chart: ${parts.chart.url}`];
  return {
    subject: emailSubject(notification),
    text: [emailText(notification), ...chart, `Unsubscribe: ${unsubscribeUrl}\n`].join('\n\n'),
    html: page(parts, COLOURS[notificationTone(notification)], unsubscribeUrl).markup,
  };
}

/** The colours of the bar next to the title, legible on white and on black. */
const COLOURS: Readonly<Record<Tone, string>> = {
  critical: '#d1242f',
  warning: '#d4760a',
  info: '#1976d2',
  resolved: '#2da44e',
};

function page(parts: NotificationParts, colour: string, unsubscribeUrl: string): Markup {
  const { title, why, facts, list, origin, ids, links, actions, chart } = parts;
  const smallPrint = [inSmallPrint(datedDetails(parts)), ...origin, ...ids];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>:root { color-scheme: light dark; }</style>
</head>
<body style="margin:0;padding:16px;font:16px/1.5 -apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;overflow-wrap:break-word">
<div style="max-width:600px;margin:0 auto">
<h1 style="font-size:20px;line-height:1.3;margin:0 0 8px;padding-left:12px;border-left:4px solid ${colour}">${title}</h1>
${why === undefined ? html`` : line(html`${why}`)}
${facts.map(({ name, value }) => line(html`<span style="opacity:.75">${name}:</span> ${value}`))}
${list.map((one) => line(html`${one}`))}
${chart === undefined ? html`` : picture(chart)}
${actions.length === 0 ? html`` : buttons(actions)}
${links.length === 0 ? html`` : line(html`${links.map(({ host, url }) => html`<a href="${url}">${host}</a> `)}`)}
<p style="margin:16px 0 0;font-size:13px;opacity:.75">${smallPrint.filter((one) => one !== '').map((one) => html`${one}<br>`)}
This address is subscribed to these alerts. <a href="${unsubscribeUrl}">Unsubscribe</a></p>
</div>
</body>
</html>
`;
}

function line(content: Markup): Markup {
  return html`<p style="margin:0 0 8px">${content}</p>`;
}

function picture({ url, alt }: { readonly url: string; readonly alt: string }): Markup {
  return html`<p style="margin:0 0 16px"><a href="${url}"><img src="${url}" alt="${alt}" width="600" style="display:block;width:100%;max-width:600px;height:auto;border:0;border-radius:6px"></a></p>`;
}

function buttons(actions: NotificationParts['actions']): Markup {
  const made = actions.map(({ label, url, isMain }) => {
    const look = isMain ? 'border:2px solid #888;font-weight:bold' : 'border:1px solid #888';
    return html`<a href="${url}" style="display:inline-block;margin:0 8px 8px 0;padding:8px 14px;border-radius:6px;text-decoration:none;color:inherit;${look}">${label}</a>
`;
  });
  return html`<p style="margin:8px 0">
${made}</p>`;
}

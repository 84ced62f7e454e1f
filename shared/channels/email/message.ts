import { emailText } from '#shared/domain/alerting/email-text.ts';
import {
  type Notification,
  notificationTone,
  type Tone,
} from '#shared/domain/alerting/notification.ts';
import {
  datedFacts,
  type NotificationParts,
  partsOf,
} from '#shared/domain/alerting/notification-parts.ts';
import { emailSubject } from '#shared/domain/alerting/subject-line.ts';
import { html, type Markup } from '#shared/domain/markup.ts';

/** An email in its two forms, for readers that show markup and for those that do not. */
export type EmailMessage = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
};

/**
 * A notification as an email of our own. Nothing is loaded but its chart, which many programs ask
 * for first: all that the picture says is in the facts.
 */
export function emailMessage(notification: Notification, unsubscribeUrl: string): EmailMessage {
  const parts = partsOf(notification);
  const chart = parts.chart === undefined ? [] : [`Chart: ${parts.chart.url}`];
  return {
    subject: emailSubject(notification),
    text: [emailText(notification), ...chart, `Unsubscribe: ${unsubscribeUrl}\n`].join('\n\n'),
    html: page(parts, COLOURS[notificationTone(notification)], unsubscribeUrl).markup,
  };
}

/** Of the bar beside a title: to be told apart on white and on black. */
const COLOURS: Readonly<Record<Tone, string>> = {
  critical: '#d1242f',
  warning: '#d4760a',
  info: '#1976d2',
  resolved: '#2da44e',
};

function page(parts: NotificationParts, colour: string, unsubscribeUrl: string): Markup {
  const { title, list, origin, ids, links, actions, chart } = parts;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>:root { color-scheme: light dark; }</style>
</head>
<body style="margin:0;padding:16px;font:16px/1.5 -apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere">
<div style="max-width:600px;margin:0 auto">
<h1 style="font-size:20px;line-height:1.3;margin:0 0 16px;padding-left:12px;border-left:4px solid ${colour}">${title}</h1>
${facts(parts)}
${list.map((line) => html`<p style="margin:0 0 8px">${line}</p>`)}
${chart === undefined ? html`` : picture(chart)}
${actions.length === 0 ? html`` : paragraph(actions.map(({ label, url }) => button(label, url)))}
${links.length === 0 ? html`` : paragraph(links.map(({ host, url }) => html`<a href="${url}">${host}</a>`))}
<p style="margin:24px 0 0;font-size:13px;opacity:.75">${[...origin, ...ids].map((line) => html`${line}<br>`)}
This address agreed to get these alerts. <a href="${unsubscribeUrl}">Unsubscribe</a></p>
</div>
</body>
</html>
`;
}

/** A table, since it is one: what a screen reader says of a value is its name. */
function facts(parts: NotificationParts): Markup {
  const rows = datedFacts(parts).map(
    ({ name, value }) =>
      html`<tr><th scope="row" style="padding:2px 16px 2px 0;font-weight:normal;text-align:left;vertical-align:top;opacity:.75">${name}</th><td style="padding:2px 0;vertical-align:top">${value}</td></tr>`,
  );
  if (rows.length === 0) return html``;
  return html`<table style="border-collapse:collapse;margin:0 0 16px">
${rows}
</table>`;
}

function picture({ url, alt }: { readonly url: string; readonly alt: string }): Markup {
  return html`<p style="margin:0 0 16px"><a href="${url}"><img src="${url}" alt="${alt}" width="600" style="display:block;width:100%;max-width:600px;height:auto;border:0;border-radius:6px"></a></p>`;
}

function button(label: string, url: string): Markup {
  return html`<a href="${url}" style="display:inline-block;margin:0 8px 8px 0;padding:8px 14px;border:1px solid #888;border-radius:6px;text-decoration:none;color:inherit">${label}</a>`;
}

function paragraph(parts: readonly Markup[]): Markup {
  return html`<p style="margin:0 0 8px">
${parts}
</p>`;
}

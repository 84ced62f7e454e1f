import type { ComponentChildren } from 'preact';
import type { Kind } from '#console/channels/channel-kinds.ts';
import type { DiscordMessage } from '#shared/channels/discord/message.ts';
import type { PagerDutyEvent } from '#shared/channels/pagerduty/message.ts';
import type { PushMessage } from '#shared/channels/push/message.ts';
import type { SlackMessage } from '#shared/channels/slack/message.ts';
import type { TeamsMessage } from '#shared/channels/teams/message.ts';
import type { TelegramMessage } from '#shared/channels/telegram/message.ts';

type Sent = {
  readonly [Name in Kind]: Name extends 'email'
    ? { readonly subject: string; readonly text: string }
    : Name extends 'slack' | 'slack_bot'
      ? SlackMessage
      : Name extends 'discord'
        ? DiscordMessage
        : Name extends 'telegram'
          ? TelegramMessage
          : Name extends 'push'
            ? PushMessage
            : Name extends 'teams'
              ? TeamsMessage
              : Name extends 'pagerduty'
                ? PagerDutyEvent
                : object;
};

/**
 * Renders a message as its service would show it, from the request that the service would receive.
 */
export function shownAs(kind: Kind, message: object): ComponentChildren {
  const show: (message: never) => ComponentChildren = SHOWN[kind];
  // The API builds the preview with the code that builds real messages, so the type matches.
  return show(message as never);
}

const SHOWN: { readonly [Name in Kind]: (message: Sent[Name]) => ComponentChildren } = {
  email: ({ subject, text }) => (
    <>
      <h4>{subject}</h4>
      <p class="lines">{text}</p>
    </>
  ),
  slack: slack,
  slack_bot: slack,
  discord: discord,
  telegram: ({ text }) => <p class="lines">{nodesOf(text)}</p>,
  push: ({ title, options: { body } }) => (
    <>
      <h4>{title}</h4>
      <p class="lines">{body}</p>
    </>
  ),
  teams: teams,
  pagerduty: pagerDuty,
  sqs: json,
  webhook: json,
};

/** Omits the buttons, because a preview has no links for actions. */
function slack({ blocks: [header], attachments: [{ color, blocks }] }: SlackMessage) {
  return (
    <>
      <h4>{header.text.text}</h4>
      <div class="bar" style={{ borderColor: color }}>
        {blocks.map((block, index) => {
          if ('fields' in block) {
            return (
              <div key={index} class="two">
                {block.fields.map((field, place) => (
                  <span key={place}>{slackText(field)}</span>
                ))}
              </div>
            );
          }
          if ('text' in block) {
            return (
              <p key={index} class="lines">
                {slackText(block.text)}
              </p>
            );
          }
          if (block.type === 'image') return null;
          return (
            <div key={index} class="aside">
              {block.elements.map((element, place) => (
                <p key={place} class="lines">
                  {slackText(element)}
                </p>
              ))}
            </div>
          );
        })}
      </div>
    </>
  );
}

type SlackPart = { readonly type: 'plain_text' | 'mrkdwn'; readonly text: string };

/** Renders the Slack markup that our messages use: dates, links and bold text. */
function slackText({ type, text }: SlackPart): ComponentChildren {
  if (type === 'plain_text') return text;
  return text.split(/(<[^>]*>|\*[^*]+\*)/).map((part, index) => {
    const [, url, label] = /^<(https:[^|>]*)\|([^>]*)>$/.exec(part) ?? [];
    if (url !== undefined) return <Out key={index} url={url} words={label ?? ''} />;
    const [, date] = /^<!date\^\d+\^[^|]*\|([^>]*)>$/.exec(part) ?? [];
    if (date !== undefined) return date;
    const [, bold] = /^\*([^*]+)\*$/.exec(part) ?? [];
    return bold === undefined ? part : <b key={index}>{bold}</b>;
  });
}

function discord({ embeds: [embed] }: DiscordMessage) {
  const { title, description = '', fields = [], footer, timestamp, color } = embed;
  const border = `#${color.toString(16).padStart(6, '0')}`;
  return (
    <div class="bar" style={{ borderColor: border }}>
      <h4>{discordText(title)}</h4>
      {description !== '' && <p class="lines">{discordText(description)}</p>}
      <div class="embed">
        {fields.map(({ name, value, inline }) => (
          <div key={name} class={inline ? 'inline' : 'across'}>
            <b>{name}</b>
            <br />
            {discordText(value)}
          </div>
        ))}
      </div>
      <p class="aside lines">
        {footer.text}
        {timestamp !== undefined && ` · ${timestamp.slice(0, 16).replace('T', ' ')} UTC`}
      </p>
    </div>
  );
}

/** Renders the links that our messages use, and unescapes all other text. */
function discordText(text: string): ComponentChildren {
  return text.split(/((?<!\\)\[[\w .]+\]\(https:[^)]*\))/).map((part, index) => {
    const [, words, url] = /^\[([\w .]+)\]\((https:[^)]*)\)$/.exec(part) ?? [];
    return url === undefined ? (
      part.replaceAll(/\\([^0-9A-Za-z\s])/g, '$1')
    ) : (
      <Out key={index} url={url} words={words ?? ''} />
    );
  });
}

/**
 * Renders the few tags that our messages use. Only their texts and links are shown, not the parsed
 * document.
 */
function nodesOf(html: string): ComponentChildren {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  return [...body.childNodes].map((node, index) => {
    const text = node.textContent ?? '';
    if (node instanceof HTMLAnchorElement) return <Out key={index} url={node.href} words={text} />;
    if (node.nodeName === 'BLOCKQUOTE') {
      return (
        <span key={index} class="aside">
          {text}
        </span>
      );
    }
    return node.nodeName === 'B' ? <b key={index}>{text}</b> : text;
  });
}

function teams({ attachments: [{ content }] }: TeamsMessage) {
  return (
    <>
      {content.body.map((element, index) => {
        if (element.type === 'Image') return null;
        if (element.type === 'RichTextBlock') return <div key={index}>{teamsText(element)}</div>;
        if (element.type === 'TextBlock') {
          return (
            <div key={index} class="subtle small">
              {teamsMoment(element.text)}
            </div>
          );
        }
        const [name, value] = element.columns;
        return (
          <div key={index} class="pair">
            <span>{teamsText(name.items[0])}</span>
            <span>{teamsText(value.items[0])}</span>
          </div>
        );
      })}
      <p class="row">
        {content.actions.map(({ title, url }) => (
          <Out key={title} url={url} words={title} />
        ))}
      </p>
    </>
  );
}

type TeamsItem = Extract<
  TeamsMessage['attachments'][0]['content']['body'][number],
  { readonly type: 'ColumnSet' }
>['columns'][1]['items'][0];

/** The time in a text block. In our messages, text blocks contain nothing else. */
function teamsMoment(text: string): string {
  const [, moment = ''] = /\{\{TIME\(([^)]*)\)\}\}/.exec(text) ?? [];
  return `${moment.slice(0, 16).replace('T', ' ')} UTC`;
}

function teamsText(item: TeamsItem): ComponentChildren {
  const [{ text, weight, color, size, isSubtle }] = item.inlines;
  const looks = [weight, color, size, isSubtle === true ? 'subtle' : undefined];
  return <span class={looks.filter((look) => look !== undefined).join(' ')}>{text}</span>;
}

function pagerDuty({ event_action: action, payload, links }: PagerDutyEvent) {
  return (
    <>
      <h4>{payload.summary}</h4>
      <p class="aside">
        {action === 'resolve' ? 'Resolves the incident' : 'Triggers an incident'},{' '}
        {payload.severity}
      </p>
      {Object.entries(payload.custom_details).map(([name, value]) => (
        <div key={name} class="pair">
          <b>{name}</b>
          <span class="lines">{value}</span>
        </div>
      ))}
      <p class="row">
        {links.map(({ href, text }) => (
          <Out key={href} url={href} words={text} />
        ))}
      </p>
    </>
  );
}

function json(message: object) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <pre tabIndex={0}>{JSON.stringify(message, null, 2)}</pre>
  );
}

/** An external link. Addresses other than https are shown as text. */
function Out({ url, words }: { readonly url: string; readonly words: string }) {
  if (!url.startsWith('https://')) return <>{words}</>;
  return (
    <a href={url} rel="noreferrer" target="_blank">
      {words}
    </a>
  );
}

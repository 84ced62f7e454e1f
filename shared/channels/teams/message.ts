import { type Notification, notificationTone } from '#shared/domain/alerting/notification.ts';
import { fitted, partsThatFit } from '#shared/domain/alerting/notification-parts.ts';

/** A message as a workflow of Teams takes it: one Adaptive Card. */
export type TeamsMessage = {
  readonly type: 'message';
  readonly attachments: readonly [
    {
      readonly contentType: 'application/vnd.microsoft.card.adaptive';
      readonly content: TeamsCard;
    },
  ];
};

type TeamsCard = {
  readonly type: 'AdaptiveCard';
  readonly version: '1.5';
  readonly body: readonly TeamsLine[];
  readonly actions: readonly {
    readonly type: 'Action.OpenUrl';
    readonly title: string;
    readonly url: string;
  }[];
};

/** A line of text. Teams reads no markup in a `TextRun`. */
type TeamsLine = {
  readonly type: 'RichTextBlock';
  readonly spacing?: 'none';
  readonly inlines: readonly [{ readonly type: 'TextRun'; readonly text: string } & TeamsStyle];
};

type TeamsStyle = {
  readonly weight?: 'bolder';
  readonly color?: (typeof COLORS)[ReturnType<typeof notificationTone>];
  readonly isSubtle?: true;
};

/**
 * Characters, of three bytes at most. Teams takes about 28 KB of a message, as it counts them
 * itself (Microsoft, "Create an Incoming Webhook"); others have seen it refuse 21 KB.
 */
const SUBJECT = 256;
const DETAILS = 4000;
const FOOTER = 1000;

const COLORS = {
  critical: 'attention',
  warning: 'warning',
  info: 'accent',
  good: 'good',
} as const;

/**
 * A notification as Teams shows it. All text is without markup, and there are no entities: nothing
 * that a person named can become a mention, a link or a heading.
 */
export function teamsMessage(notification: Notification): TeamsMessage {
  const { subject, details, footer, links } = partsThatFit(
    notification,
    (details) => details.length <= DETAILS,
  );
  const color = COLORS[notificationTone(notification)];
  const body = [
    ...linesOf(fitted(subject, SUBJECT), { weight: 'bolder', color }),
    ...linesOf(fitted(details, DETAILS), {}),
    ...linesOf(fitted(footer, FOOTER), { isSubtle: true }),
  ];
  const actions = links.map(
    ({ host, url }) => ({ type: 'Action.OpenUrl', title: host, url }) as const,
  );
  const content = { type: 'AdaptiveCard', version: '1.5', body, actions } as const;
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', content } as const;
  return { type: 'message', attachments: [attachment] };
}

/** Teams shows no line break within a run; a new paragraph keeps its distance. */
function linesOf(text: string, style: TeamsStyle): readonly TeamsLine[] {
  return text.split('\n\n').flatMap((paragraph) =>
    paragraph.split('\n').flatMap((line, index) =>
      line === ''
        ? []
        : [
            {
              type: 'RichTextBlock' as const,
              ...(index === 0 ? {} : { spacing: 'none' as const }),
              inlines: [{ type: 'TextRun' as const, text: line, ...style }] as const,
            },
          ],
    ),
  );
}

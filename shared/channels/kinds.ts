import type * as z from 'zod';
import type { ChannelKind } from './channel-kind.ts';
import { discord } from './discord/kind.ts';
import { email } from './email/kind.ts';
import { pagerduty } from './pagerduty/kind.ts';
import { push } from './push/kind.ts';
import { slack } from './slack/kind.ts';
import { slackBot } from './slack-bot/kind.ts';
import { sqs } from './sqs/kind.ts';
import { teams } from './teams/kind.ts';
import { telegram } from './telegram/kind.ts';
import { webhook } from './webhook/kind.ts';

/**
 * The kinds of channel with their exact schemas, in the order of the document. All other lists of
 * kinds derive from this one, except `CHATS`, which contains the code that posts.
 */
export const SCHEMAS = {
  ...{ email, sqs, slack, slack_bot: slackBot, discord, teams, telegram, push, pagerduty, webhook },
} as const;

export type Kind = keyof typeof SCHEMAS;

/** A stored channel of each kind. */
export type Kept = {
  readonly [Name in Kind]: z.output<(typeof SCHEMAS)[Name]['kept']> & { readonly kind: Name };
};
/** A channel of each kind in requests. */
export type Written = {
  readonly [Name in Kind]: z.output<(typeof SCHEMAS)[Name]['body']> & { readonly kind: Name };
};

/** The kinds to which our code posts without SNS; the others are subscribed to a topic. */
export type PostedKind = KindBy<'chat' | 'webhook'>;
export type ChatKind = KindBy<'chat'>;

type KindBy<Delivery> = {
  [Name in Kind]: (typeof SCHEMAS)[Name]['delivery'] extends Delivery ? Name : never;
}[Kind];

/** The kinds with their common type. */
export const KINDS: { readonly [Name in Kind]: ChannelKind<Kept[Name], Written[Name]> } = {
  ...SCHEMAS,
};

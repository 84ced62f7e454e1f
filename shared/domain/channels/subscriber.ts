import type { Endpoint } from '#shared/channels/channel-kind.ts';
import type { Subscription } from './channel-record.ts';

/** A channel that gets its alerts by a topic of its list. */
export type Subscriber = Endpoint & {
  readonly channel: string;
  /**
   * Whether SNS asks it while it is not subscribed: `never` after it has unsubscribed, `later` after it
   * was just asked for another list.
   */
  readonly ask: 'now' | 'later' | 'never';
};

/** The states of subscriptions by channel; an endpoint that SNS refuses has none. */
export type Subscriptions = ReadonlyMap<string, Subscription['state']>;

/** What was confirmed. */
export type Confirmation = { readonly state: 'confirmed' | 'confirmed-unprotected' };

import type { Endpoint } from '#shared/channels/channel-kind.ts';
import type { Subscription } from './channel-record.ts';

/** A channel that is subscribed to a topic of its list. */
export type Subscriber = Endpoint & {
  readonly channel: string;
  /**
   * Whether SNS may send a confirmation request: `never` after the reader unsubscribed, `later`
   * after a recent request for another list.
   */
  readonly ask: 'now' | 'later' | 'never';
};

/** The states of subscriptions by channel. Endpoints that SNS refuses are absent. */
export type Subscriptions = ReadonlyMap<string, Subscription['state']>;

/** The result of a confirmation. */
export type Confirmation = { readonly state: 'confirmed' | 'confirmed-unprotected' };

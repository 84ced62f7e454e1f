import type { Endpoint } from '#shared/channels/channel-kind.ts';
import type { Subscription } from './channel-record.ts';

/** A channel that gets its alerts by its list's topic. */
export type Subscriber = Endpoint & {
  readonly channel: string;
  /**
   * Whether SNS asks it while it is not subscribed: `never` after it has unsubscribed, `later` after it
   * was just asked for another list.
   */
  readonly ask: 'now' | 'later' | 'never';
};

/** How the subscriptions of a topic stand, by channel; one whose endpoint is not accepted has none. */
export type Subscriptions = {
  readonly states: ReadonlyMap<string, Subscription['state']>;
  /** Whether strangers could still confirm: a pending subscription cannot be removed. */
  readonly strangersMayConfirm: boolean;
  /** Endpoints that were subscribed until now. */
  readonly left: readonly string[];
};

/** What was confirmed. */
export type Confirmation = { readonly state: 'confirmed' | 'confirmed-unprotected' };

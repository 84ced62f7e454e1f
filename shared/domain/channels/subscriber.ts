import type { Channel } from './channel.ts';
import type { Subscription } from './channel-record.ts';

/** A channel that gets its alerts by its list's topic. */
export type Subscriber = {
  readonly channel: string;
  readonly protocol: 'email' | 'sqs';
  readonly endpoint: string;
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

/** Where a channel is to be subscribed; undefined for one that we send to ourselves. */
export function endpointOf(
  channel: Channel,
): Pick<Subscriber, 'protocol' | 'endpoint'> | undefined {
  switch (channel.kind) {
    case 'email':
      return { protocol: 'email', endpoint: channel.to };
    case 'sqs':
      return { protocol: 'sqs', endpoint: channel.queue };
    case 'slack':
    case 'discord':
    case 'webhook':
      return undefined;
  }
}

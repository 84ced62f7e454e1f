import type { PostedKind } from '#shared/channels/kinds.ts';

/** A received message as its reader sees it. */
export type Notification = Delivery & { readonly at: string };

export type Delivery =
  | {
      readonly kind: 'email';
      readonly to: string;
      readonly subject: string;
      readonly text: string;
      /** Of one that SES has sent, what is shown of it, and what ends the subscription. */
      readonly html?: string;
      readonly unsubscribe?: string | undefined;
    }
  | {
      readonly kind: PostedKind | 'sqs';
      /** The address, without what is secret of it. */
      readonly to: string;
      /** What it says in one line. */
      readonly subject: string;
      readonly message: unknown;
      /** The message that it is written into. */
      readonly edits?: string;
    };

/** What was delivered on this machine, newest last. */
export type Mailbox = {
  readonly notifications: () => readonly Notification[];
  readonly deliver: (delivery: Delivery) => void;
};

export function createMailbox(
  now: () => number,
  onNotification: (notification: Notification) => void,
  capacity = 1000,
): Mailbox {
  const notifications: Notification[] = [];
  const deliver = (delivery: Delivery) => {
    const notification = { ...delivery, at: new Date(now()).toISOString() };
    notifications.push(notification);
    if (notifications.length > capacity) notifications.shift();
    onNotification(notification);
  };

  return {
    notifications: () => notifications,
    deliver,
  };
}

import type { PostedKind } from '#shared/channels/kinds.ts';

/** A received message as its reader sees it. */
export type Notification = Delivery & { readonly at: string };

export type Delivery =
  | {
      readonly kind: 'email';
      readonly to: string;
      readonly subject: string;
      readonly text: string;
      /** For an email of SES: the displayed HTML, and the link that unsubscribes. */
      readonly html?: string;
      readonly unsubscribe?: string | undefined;
    }
  | {
      readonly kind: PostedKind | 'sqs';
      /** The address without its secrets. */
      readonly to: string;
      /** A one-line summary. */
      readonly subject: string;
      readonly message: unknown;
      /** The earlier message that this one edits. */
      readonly edits?: string;
    };

/** The messages delivered on this machine, oldest first. */
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

import * as z from 'zod';
import { type Answered, object } from '#shared/http/described.ts';

export const ActorRead = object(
  'Actor',
  'Who made a change: a key, a message link, or the wallet of the list.',
  {
    key: [
      z.string(),
      'For a key, the id of the key, which is not a secret. For a message link, `link:` followed by the id of the channel whose message contained the link. For the wallet of the list, `wallet`.',
    ],
    name: [
      z.string(),
      'For a key, its name. For a message link, the name that the user entered, or an empty string. For a wallet, its address.',
    ],
    via: [
      z.string().nullable(),
      'For a message link, the channel to which the message was sent: the service and the id, as in `Slack #desk`. Null for a key and for the wallet.',
    ],
  },
);
export type ActorRead = Answered<typeof ActorRead>;

import * as z from 'zod';
import { type Answered, object } from '#shared/http/described.ts';

export const ActorRead = object('Actor', 'Who made the change, if known.', {
  key: [
    z.string(),
    'For a key, its id, which is not a secret. For a link, `link:` followed by the id of the channel whose message contained the link. For the wallet of the list, `wallet`.',
  ],
  name: [
    z.string(),
    'The name of the key; for a link, the name that its user entered, or an empty string; for a wallet, its address.',
  ],
  via: [
    z.string().nullable(),
    'For a link, the channel to which its message was sent: the service and the id, as in `Slack #desk`. Null for a key and the wallet.',
  ],
});
export type ActorRead = Answered<typeof ActorRead>;

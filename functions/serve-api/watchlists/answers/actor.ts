import * as z from 'zod';
import { type Answered, object } from '#shared/http/described.ts';

export const ActorRead = object('Actor', 'Who has changed something, as far as that is known.', {
  key: [
    z.string(),
    'The id of the key, which is no secret; `link:` and the id of the channel whose message had the link; `wallet` for the wallet of the list.',
  ],
  name: [
    z.string(),
    'The name of the key; of a link the name that its reader gave, or nothing; the address of the wallet.',
  ],
  via: [
    z.string().nullable(),
    'Of a link the channel whose message had it, in words: its service and its id, `Slack #desk`. Null for a key and the wallet.',
  ],
});
export type ActorRead = Answered<typeof ActorRead>;

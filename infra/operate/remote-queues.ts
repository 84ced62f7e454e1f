import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';
import type { DeadLetterQueue, StackQueues } from './dead-letters.ts';
import { COMMAND_HEADER } from './remote-table.ts';

/** The path at which a stack of `npm start` serves its queues to commands on this machine. */
export const QUEUES_PATH = '/local/queues';

const QueueList = z.array(
  z.object({
    name: z.string(),
    deadLetters: z.array(z.object({ messageId: z.string(), sentAt: z.string(), body: z.string() })),
  }),
);
type QueueList = z.output<typeof QueueList>;

const Redrive = z.object({ redrive: z.string() });

/** The queues of a stack of `npm start`, by the URL of its API. */
export function createRemoteQueues(url: string): StackQueues {
  const ask = async (sent: z.output<typeof Redrive> | undefined): Promise<unknown> => {
    const response = await fetch(new URL(QUEUES_PATH, url), {
      headers: { [COMMAND_HEADER]: '1' },
      ...(sent && { method: 'POST', body: JSON.stringify(sent) }),
    });
    if (!response.ok)
      throw new Error(
        `${url} returned ${response.status} to the request for its queues: if the stack runs another version, restart it with npm start`,
      );
    return await response.json();
  };
  const list = async () => QueueList.parse(await ask(undefined));
  return {
    deadLetterQueues: async () =>
      (await list()).map(({ name, deadLetters }) => ({
        ...{ name: `dead letters of ${name}`, waiting: deadLetters.length, url: name },
        source: { name, url: name },
      })),
    peek: async (queue) => {
      const found = (await list()).find(({ name }) => name === queue.url);
      return found?.deadLetters.slice(0, 10) ?? [];
    },
    moveBack: async function* ({ url: redrive }: DeadLetterQueue) {
      yield z.object({ moved: z.number() }).parse(await ask({ redrive })).moved;
    },
  };
}

/** Returns the response to a request to `QUEUES_PATH`; undefined if no command sent the request. */
export function answerQueuesCall(
  queues: { readonly list: () => QueueList; readonly redrive: (name: string) => number },
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: string },
): unknown {
  if (headers[COMMAND_HEADER] === undefined) return undefined;
  if (body === '') return queues.list();
  return { moved: queues.redrive(JsonText.pipe(Redrive).parse(body).redrive) };
}

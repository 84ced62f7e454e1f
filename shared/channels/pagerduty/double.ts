import * as z from 'zod';
import { type ChatDouble, readMessage } from '#shared/channels/chat-double.ts';
import type { PagerDutyBody } from './kind.ts';

/**
 * A fake of PagerDuty's Events API with the published limits ("Send an Alert Event", "Events API v2
 * Overview"). PagerDuty publishes no rate, so the fake does not limit it.
 */
export const pagerdutyDouble: ChatDouble<PagerDutyBody> = {
  channel: { id: 'pager', kind: 'pagerduty', routingKey: 'pager0of0this0machine00000000000' },
  create: () => {
    return ({ path, body }) => {
      if (path !== PATH)
        return { status: 404, body: '', issue: `PagerDuty: there is nothing at ${path}` };
      const read = readMessage(Event, body);
      if ('issue' in read) return refusal(read.issue);
      if (Buffer.byteLength(body) > 512 * 1024) return refusal('the event is larger than 512 KB');
      const { routing_key: _secret, ...message } = read.message;
      const { dedup_key, payload } = message;
      const said = { status: 'success', message: 'Event processed', dedup_key };
      const taken = { to: PATH, subject: payload.summary, message };
      return { status: 202, body: JSON.stringify(said), taken };
    };
  },
};

const PATH = '/v2/enqueue';

function refusal(reason: string) {
  const said = { status: 'invalid event', message: 'Event object is invalid', errors: [reason] };
  return { status: 400, body: JSON.stringify(said), issue: `PagerDuty: ${reason}` };
}

const Event = z.strictObject({
  routing_key: z.string().regex(/^[A-Za-z0-9]{32}$/),
  event_action: z.enum(['trigger', 'acknowledge', 'resolve']),
  dedup_key: z.string().min(1).max(255),
  payload: z.strictObject({
    summary: z.string().min(1).max(1024),
    source: z.string().min(1),
    severity: z.enum(['critical', 'error', 'warning', 'info']),
    timestamp: z.iso.datetime().optional(),
    component: z.string().optional(),
    group: z.string().optional(),
    class: z.string().optional(),
    custom_details: z.record(z.string(), z.unknown()).optional(),
  }),
  links: z.array(z.strictObject({ href: z.url(), text: z.string().optional() })).optional(),
});

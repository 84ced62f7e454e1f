import { describe, expect, it } from 'vitest';
import { pagerdutyDouble } from '#shared/channels/pagerduty/double.ts';

const payload = { summary: 'a', source: 'eth:0x1', severity: 'critical' };
const event = {
  ...{ routing_key: 'x'.repeat(32), event_action: 'trigger', dedup_key: 'a.1', payload },
  links: [{ href: 'https://a.example', text: 'a' }],
};
const posted = (posted: object, path = '/v2/enqueue') =>
  pagerdutyDouble.create(() => 0)({ path, body: JSON.stringify(posted) });
const x = (count: number) => 'x'.repeat(count);

describe('the PagerDuty fake', () => {
  it.each([
    event,
    { ...event, event_action: 'resolve' },
    { ...event, dedup_key: x(255), payload: { ...payload, summary: x(1024) } },
    { ...event, payload: { ...payload, custom_details: { text: x(500_000), value: null } } },
  ])('the PagerDuty fake accepts %j', (given) => {
    const { routing_key: _secret, ...message } = given;

    expect(posted(given)).toMatchObject({
      status: 202,
      body: expect.stringContaining(given.dedup_key),
      taken: { to: '/v2/enqueue', subject: given.payload.summary, message },
    });
  });

  it.each([
    { ...event, routing_key: x(31) },
    { ...event, routing_key: `${x(31)}-` },
    { ...event, event_action: 'close' },
    { ...event, dedup_key: x(256) },
    { ...event, payload: { ...payload, summary: x(1025) } },
    { ...event, payload: { ...payload, severity: 'high' } },
    { ...event, payload: { ...payload, source: '' } },
    { ...event, payload: { ...payload, timestamp: 'now' } },
    { ...event, links: [{ href: 'a' }] },
    { ...event, payload: { ...payload, custom_details: { text: x(512 * 1024) } } },
    { text: 'a' },
  ])('the PagerDuty fake rejects %j with a reason', (given) => {
    const answer = posted(given);

    expect(answer).toMatchObject({ status: 400, issue: expect.stringMatching(/^PagerDuty: ./) });
    expect(answer.taken).toBeUndefined();
  });

  it('the PagerDuty fake answers 404 at another path', () => {
    expect(posted(event, '/v2/change/enqueue').status).toBe(404);
  });
});

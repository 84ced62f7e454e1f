import { describe, expect, it } from 'vitest';
import { teamsDouble } from '#shared/channels/teams/double.ts';

const PATH = '/powerautomate/automations/direct/workflows/1001/triggers/manual/paths/invoke';
const line = (text: string) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] });
const MOMENT = '{{DATE(2026-11-21T12:00:00Z, SHORT)}} {{TIME(2026-11-21T12:00:00Z)}}';
const row = (value: object) => ({
  type: 'ColumnSet',
  columns: [
    { type: 'Column', width: '120px', items: [line('a')] },
    { type: 'Column', width: 'stretch', items: [value] },
  ],
});
const link = (url: string) => ({ type: 'Action.OpenUrl', title: 'a', url });
const card = (body: readonly unknown[], more: object = {}) => ({
  ...{ type: 'AdaptiveCard', version: '1.5', body },
  ...more,
});
const of = (content: object) => ({
  type: 'message',
  attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
});
const x = (count: number) => 'x'.repeat(count);

describe('the Teams fake', () => {
  it.each([
    of(card([line('a')])),
    of(card([line(x(28_000))])),
    of(card([line('a'), row(line('b')), row({ type: 'TextBlock', text: MOMENT })])),
    of(card([line('a'), line('b')], { actions: [link('https://a.example')] })),
  ])('the Teams fake accepts %j', (message) => {
    const answer = teamsDouble.create(() => 0)({ path: PATH, body: JSON.stringify(message) });

    expect(answer).toMatchObject({ status: 202, taken: { to: '1001', message } });
  });

  it.each([
    [400, of(card([]))],
    [400, of(card([line('')]))],
    [400, of(card([{ type: 'TextBlock', text: '[x](http://evil.example)' }]))],
    [400, of(card([row({ type: 'TextBlock', text: '**a**' })]))],
    [400, of(card([line('a')], { msteams: { entities: [] } }))],
    [400, of(card([line('a')], { actions: [link('http://a.example')] }))],
    [400, of({ ...card([line('a')]), version: '1.6' })],
    [400, { text: 'a' }],
    [413, of(card([line(x(28 * 1024))]))],
    [413, of(card([line('Ξ'.repeat(14 * 1024))]))],
  ])('the Teams fake rejects with %i and a reason: %j', (status, message) => {
    const answer = teamsDouble.create(() => 0)({ path: PATH, body: JSON.stringify(message) });

    expect(answer).toMatchObject({ status, issue: expect.stringMatching(/^Teams: ./) });
    expect(answer.taken).toBeUndefined();
  });

  it('the Teams fake answers 404 at another path', () => {
    const body = JSON.stringify(of(card([line('a')])));

    expect(teamsDouble.create(() => 0)({ path: '/workflows/1001', body }).status).toBe(404);
  });

  it('the Teams fake accepts four messages a second for each workflow', () => {
    let now = 0;
    const answer = teamsDouble.create(() => now);
    const post = (workflow: string) =>
      answer({ path: PATH.replace('1001', workflow), body: JSON.stringify(of(card([line('a')]))) });
    const statusesOf = (workflow: string, count: number) =>
      Array.from({ length: count }, () => post(workflow).status);

    const statuses = [...statusesOf('1', 5), ...statusesOf('2', 1)];
    now = 1000;

    expect([...statuses, ...statusesOf('1', 1)]).toEqual([202, 202, 202, 202, 429, 202, 202]);
  });
});

import * as z from 'zod';
import { Silences } from '#shared/domain/alerting/acknowledgement.ts';
import alertSchema from '#shared/domain/alerting/alert.schema.json' with { type: 'json' };
import { Alert, Fact } from '#shared/domain/alerting/alert.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { DecimalText, filledPage, MOMENT, MomentText } from '#shared/http/answer-shapes.ts';
import { type Answered, object, register } from '#shared/http/described.ts';
import { ActorRead } from './actor.ts';
import { MuteRead } from './mutes.ts';

/** The members of an alert. */
export const alertMembers: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(alertSchema.properties)
    .filter(([member]) => member in Alert.shape)
    .map(([member, { description }]) => [member, description]),
);

export const AcknowledgementRead = object('Acknowledgement', 'The acknowledgement of an episode.', {
  at: [MomentText, `When: ${MOMENT}.`],
  by: [
    ActorRead.nullable(),
    'The key, or the link of a message, that was used; null where it was not recorded.',
  ],
  silences: [
    Silences,
    'Which alerts of the episode are no longer sent: `worsening` includes reminders.',
  ],
  note: [Line.nullable(), 'The note that came with it.'],
});
export type AcknowledgementRead = Answered<typeof AcknowledgementRead>;

export const DeliveryRead = object('Delivery', 'The delivery of an alert to one receiver.', {
  state: [
    z.enum(['pending', 'accepted', 'sent', 'skipped', 'failed']),
    '`pending`: it waits to be sent. `accepted`: SNS has it, for an email or a queue. `sent`: the server of the chat or the webhook has it. `skipped`: that the episode is acknowledged could only have been written into a message of the channel, and none shows the episode. `failed`: no attempt is left.',
  ],
  at: [MomentText.nullable(), `When it reached that state: ${MOMENT}; null while it waits.`],
  reason: [z.string().nullable(), 'Why it failed, or was skipped.'],
  seconds: [
    z.number().min(0).nullable(),
    'How long it took until it was accepted or sent, in seconds: from the poll that saw the price, or from the end of the mute, quiet hours or gathering that held it. Null in any other state.',
  ],
});
export type DeliveryRead = Answered<typeof DeliveryRead>;

register({
  name: 'AlertFact',
  schema: Fact,
  side: 'output',
  description: 'A fact about an alert, for people.',
  members: {
    name: 'Its name: `Was`, `Distance`.',
    value: 'Its value in words.',
    time: `The moment that the value names, if it names one: ${MOMENT}.`,
  },
});

export const AlertRead = register({
  name: 'Alert',
  schema: Alert.extend({
    self: z.string().regex(/^(\/[^/]+)*\/v1(\/watchlists\/[^/]+)?\/alerts\/[^/]+$/),
    acknowledged: AcknowledgementRead.nullable(),
    deliveries: z.record(z.string(), DeliveryRead),
    operators: z.record(z.string(), DeliveryRead),
  }),
  side: 'output',
  description: alertSchema.description,
  members: {
    ...alertMembers,
    self: 'The path of the alert.',
    acknowledged: 'The acknowledgement of its episode; null without one.',
    deliveries: 'Its deliveries, by the ids of the channels of its list.',
    operators: 'Its deliveries to the operators of the stack: `stack-topic`, `stack-slack`.',
  },
});
export type AlertRead = Answered<typeof AlertRead>;

export const AlertPage = object('AlertPage', 'A page of alerts.', {
  alerts: [z.array(AlertRead), 'The alerts, newest first.'],
  ...filledPage,
});
export type AlertPage = Answered<typeof AlertPage>;

export const TimelineEntry = object('TimelineEntry', 'An alert of an episode.', {
  kind: [Alert.shape.kind, alertMembers.kind ?? ''],
  at: [MomentText, `When it was made: ${MOMENT}.`],
  dataTime: [MomentText, `The time of the data: ${MOMENT}.`],
  value: [DecimalText.nullable(), 'The value of the metric, a decimal in `unit`.'],
  title: [z.string(), 'What happened, in one line.'],
  alert: [z.string(), 'The path of the alert.'],
  deliveries: [z.record(z.string(), DeliveryRead), 'Its deliveries, by the ids of the channels.'],
  operators: [z.record(z.string(), DeliveryRead), 'Its deliveries to the operators of the stack.'],
});
export type TimelineEntry = Answered<typeof TimelineEntry>;

export const EpisodeRead = object(
  'Episode',
  'What happened from the first alert of a rule on a contract until it recovered.',
  {
    self: [z.string(), 'The path of the episode.'],
    watchlist: [Identifier, 'The id of the list.'],
    rule: [Identifier.nullable(), 'The id of the rule.'],
    label: [Alert.shape.label, 'The label of the rule.'],
    contract: [Alert.shape.contract, 'The NFT contract.'],
    name: [Alert.shape.name, 'The name of the collection, of a report that of the watchlist.'],
    metric: [Alert.shape.metric, 'The metric of the rule.'],
    when: [Alert.shape.when, 'The condition of the rule.'],
    threshold: [DecimalText.nullable(), 'The line that was passed, a decimal in `unit`.'],
    unit: [Alert.shape.unit, 'The unit of the numbers.'],
    severity: [Alert.shape.severity, 'The severity of its alerts.'],
    state: [
      z.enum(['open', 'over']),
      '`open`: it goes on. `over`: it has recovered or was closed; each crossing of a line is over at once.',
    ],
    firedAt: [MomentText, `The time of the data that began it: ${MOMENT}.`],
    endedAt: [
      MomentText.nullable(),
      `The time of the data that ended it: ${MOMENT}; null while it is open, and if its end was not reported (\`notifyRecovery\`).`,
    ],
    duration: [Alert.shape.duration, 'How long it had lasted at its last alert.'],
    value: [DecimalText.nullable(), 'The value in its last alert, a decimal in `unit`.'],
    extreme: [
      DecimalText.nullable(),
      'The value furthest beyond the line, once it has recovered; null for `spread_pct`.',
    ],
    title: [z.string(), 'What its last alert says, in one line.'],
    acknowledged: [AcknowledgementRead.nullable(), 'Its acknowledgement; null without one.'],
    mutes: [z.array(MuteRead), 'The running mutes that hold its next alerts back.'],
    timeline: [z.array(TimelineEntry), 'Its alerts, the first one first.'],
    complete: [z.boolean(), 'Whether all of its alerts are in `timeline`.'],
  },
);
export type EpisodeRead = Answered<typeof EpisodeRead>;

export const EpisodePage = object('EpisodePage', 'A page of episodes.', {
  episodes: [z.array(EpisodeRead), 'The episodes, newest first.'],
  ...filledPage,
});
export type EpisodePage = Answered<typeof EpisodePage>;

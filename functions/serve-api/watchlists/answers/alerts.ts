import * as z from 'zod';
import { Silences } from '#shared/domain/alerting/acknowledgement.ts';
import alertSchema from '#shared/domain/alerting/alert.schema.json' with { type: 'json' };
import { Alert, Fact } from '#shared/domain/alerting/alert.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { DecimalText, filledPage, MOMENT, MomentText } from '#shared/http/answer-shapes.ts';
import { type Answered, object, register } from '#shared/http/described.ts';
import { ActorRead } from './actor.ts';
import { MuteRead } from './mutes.ts';

/** The members that an alert has in answers, with their descriptions. */
export const alertMembers: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(alertSchema.properties)
    .filter(([member]) => member in Alert.shape)
    .map(([member, { description }]) => [member, description]),
);

export const AcknowledgementRead = object('Acknowledgement', 'The acknowledgement of an episode.', {
  at: [MomentText, `The time of the acknowledgement: ${MOMENT}.`],
  by: [
    ActorRead.nullable(),
    'The key or the message link that was used; null if it was not recorded.',
  ],
  silences: [
    Silences,
    'Which alerts of the episode are no longer sent. `worsening` includes reminders.',
  ],
  note: [Line.nullable(), 'The note of the acknowledgement.'],
});
export type AcknowledgementRead = Answered<typeof AcknowledgementRead>;

export const DeliveryRead = object('Delivery', 'The delivery of an alert to one receiver.', {
  state: [
    z.enum(['pending', 'accepted', 'sent', 'skipped', 'failed']),
    '`pending`: not sent yet. `accepted`: SNS has accepted it, for an email or a queue. `sent`: the server of the chat or the webhook has accepted it. `skipped`: not sent, for the reason in `reason`. `failed`: rejected, or given up after the last retry.',
  ],
  at: [
    MomentText.nullable(),
    `The time at which the delivery reached this state: ${MOMENT}; null while it is pending.`,
  ],
  reason: [z.string().nullable(), 'The reason why the delivery failed or was skipped.'],
  seconds: [
    z.number().min(0).nullable(),
    'The seconds until the alert was accepted or sent. They are counted from the poll that received the price, or from the end of the mute, the quiet hours or the grouping that held the alert. Null in any other state.',
  ],
});
export type DeliveryRead = Answered<typeof DeliveryRead>;

register({
  name: 'AlertFact',
  schema: Fact,
  side: 'output',
  description: 'A fact about an alert, in words.',
  members: {
    name: 'The name of the fact, such as `Was` or `Distance`.',
    value: 'The value of the fact in words.',
    time: `The time in the value, if it contains one: ${MOMENT}.`,
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
    acknowledged: 'The acknowledgement of the episode; null if the episode is not acknowledged.',
    deliveries: 'The deliveries to the channels of the list, keyed by the id of the channel.',
    operators:
      'The deliveries to the operators of the stack, keyed by `stack-topic` and `stack-slack`.',
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
  at: [MomentText, `The time at which the alert was created: ${MOMENT}.`],
  dataTime: [MomentText, `The time of the data: ${MOMENT}.`],
  value: [DecimalText.nullable(), 'The value of the metric, a decimal in `unit`.'],
  title: [z.string(), 'The event in one line.'],
  alert: [z.string(), 'The path of the alert.'],
  deliveries: [
    z.record(z.string(), DeliveryRead),
    'The deliveries, keyed by the id of the channel.',
  ],
  operators: [z.record(z.string(), DeliveryRead), 'The deliveries to the operators of the stack.'],
});
export type TimelineEntry = Answered<typeof TimelineEntry>;

export const EpisodeRead = object(
  'Episode',
  'The alerts of a rule on a contract, from the firing to the recovery.',
  {
    self: [z.string(), 'The path of the episode.'],
    watchlist: [Identifier, 'The id of the list.'],
    rule: [Identifier.nullable(), 'The id of the rule.'],
    label: [Alert.shape.label, 'The label of the rule.'],
    contract: [Alert.shape.contract, 'The NFT contract.'],
    name: [
      Alert.shape.name,
      'The name of the collection; for the value of a list, the name of the list.',
    ],
    metric: [Alert.shape.metric, 'The metric of the rule.'],
    when: [Alert.shape.when, 'The condition of the rule.'],
    threshold: [
      DecimalText.nullable(),
      'The threshold or the edge of the band that the value passed, a decimal in `unit`.',
    ],
    unit: [Alert.shape.unit, 'The unit of the numbers.'],
    severity: [Alert.shape.severity, 'The severity of the alerts.'],
    state: [
      z.enum(['open', 'over']),
      '`open`: the episode continues. `over`: the rule has recovered, or the episode was closed. An episode of a `crosses` rule is over immediately.',
    ],
    firedAt: [MomentText, `The time of the data that started the episode: ${MOMENT}.`],
    endedAt: [
      MomentText.nullable(),
      `The time of the data that ended the episode: ${MOMENT}; null while the episode is open, and if its end was not reported (\`notifyRecovery\`).`,
    ],
    duration: [Alert.shape.duration, 'The duration of the episode up to its last alert.'],
    value: [DecimalText.nullable(), 'The value in the last alert, a decimal in `unit`.'],
    extreme: [
      DecimalText.nullable(),
      'The value furthest past the threshold. It is known only after the recovery. Null for `spread_pct` and `floor_vs_average_pct`.',
    ],
    title: [z.string(), 'The title of the last alert.'],
    acknowledged: [
      AcknowledgementRead.nullable(),
      'The acknowledgement; null if the episode is not acknowledged.',
    ],
    mutes: [z.array(MuteRead), 'The active mutes that hold further alerts of the episode.'],
    timeline: [z.array(TimelineEntry), 'The alerts of the episode, oldest first.'],
    complete: [z.boolean(), 'Whether `timeline` contains all alerts of the episode.'],
  },
);
export type EpisodeRead = Answered<typeof EpisodeRead>;

export const EpisodePage = object('EpisodePage', 'A page of episodes.', {
  episodes: [z.array(EpisodeRead), 'The episodes, newest first.'],
  ...filledPage,
});
export type EpisodePage = Answered<typeof EpisodePage>;

import * as z from 'zod';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { MOMENT, MomentText } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';
import { ActorRead } from './actor.ts';

export const MuteRead = object('Mute', 'A span of time in which a list holds alerts back.', {
  id: [Identifier, 'The id of the mute.'],
  by: [
    ActorRead.nullable(),
    'The key, or the link of a message, that was used; null where it was not recorded.',
  ],
  from: [MomentText, `When it began: ${MOMENT}.`],
  until: [MomentText, `When it ends at the latest: ${MOMENT}.`],
  untilRecovered: [
    z.boolean(),
    'Whether it ends as soon as the episode is over that was open when it was made, and holds back alerts of that episode only.',
  ],
  rule: [Identifier.nullable(), 'The rule it is for; null for all.'],
  contract: [ContractKey.nullable(), 'The contract it is for; null for all.'],
  severity: [Alert.shape.severity.nullable(), 'The severity it is for; null for all.'],
  reason: [Line.nullable(), 'The reason, for readers.'],
});
export type MuteRead = Answered<typeof MuteRead>;

export const MuteList = object('MuteList', 'The mutes of a list.', {
  mutes: [z.array(MuteRead), 'The running mutes.'],
});
export type MuteList = Answered<typeof MuteList>;

import * as z from 'zod';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { MOMENT, MomentText } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';
import { ActorRead } from './actor.ts';

export const MuteRead = object('Mute', 'A period in which alerts of a list are held back.', {
  id: [Identifier, 'The id of the mute.'],
  by: [
    ActorRead.nullable(),
    'The key or the message link that was used; null if it was not recorded.',
  ],
  from: [MomentText, `The start of the mute: ${MOMENT}.`],
  until: [MomentText, `The latest end of the mute: ${MOMENT}.`],
  untilRecovered: [
    z.boolean(),
    'Whether it holds only alerts of the episode that was open at its creation, and ends with that episode.',
  ],
  rule: [Identifier.nullable(), 'The rule whose alerts it holds; null for all.'],
  contract: [ContractKey.nullable(), 'The contract whose alerts it holds; null for all.'],
  severity: [
    Alert.shape.severity.nullable(),
    'The severity of the alerts that it holds; null for all.',
  ],
  reason: [Line.nullable(), 'The reason for the mute, as free text.'],
});
export type MuteRead = Answered<typeof MuteRead>;

export const MuteList = object('MuteList', 'The mutes of a list.', {
  mutes: [z.array(MuteRead), 'The active mutes.'],
});
export type MuteList = Answered<typeof MuteList>;

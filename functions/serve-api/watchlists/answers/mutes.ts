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
  until: [MomentText, `The time at which the mute ends at the latest: ${MOMENT}.`],
  untilRecovered: [
    z.boolean(),
    'Whether the mute holds only alerts of the episode that was open when the mute was created, and ends with that episode.',
  ],
  rule: [Identifier.nullable(), 'The rule whose alerts are held; null for all rules.'],
  contract: [ContractKey.nullable(), 'The contract whose alerts are held; null for all contracts.'],
  severity: [
    Alert.shape.severity.nullable(),
    'The severity of the held alerts; null for all severities.',
  ],
  reason: [Line.nullable(), 'The reason for the mute, as free text.'],
});
export type MuteRead = Answered<typeof MuteRead>;

export const MuteList = object('MuteList', 'The mutes of a list.', {
  mutes: [z.array(MuteRead), 'The active mutes.'],
});
export type MuteList = Answered<typeof MuteList>;

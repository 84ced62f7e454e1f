import * as z from 'zod';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { Line } from '#shared/domain/words.ts';
import { type Alert, alertId } from './alert.ts';

/** What a person may say when acknowledging. */
export const AcknowledgementBody = z.strictObject({ note: Line.optional() });
export type AcknowledgementBody = z.output<typeof AcknowledgementBody>;

/** One episode of a watch; no other has its generation and number. */
export type EpisodeId = {
  readonly tenant: string;
  readonly list: string;
  readonly rule: string;
  readonly contract: ContractKey;
  readonly generation: number;
  readonly episode: number;
};

/**
 * The acknowledgement of an episode: no more reminders; worsening and recovery are still sent.
 */
export type Acknowledgement = EpisodeId & {
  readonly at: Instant;
  readonly note?: string | undefined;
};

/** Whether an alert is of an episode: its id begins with the watch and the generation. */
export function isOfEpisode(alert: Alert, episode: EpisodeId): boolean {
  const begin = alertId(episode, episode.generation, '');
  return alert.episode === episode.episode && alert.id.startsWith(begin);
}

import * as z from 'zod';
import type { Actor } from '#shared/domain/access/actor.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { Line } from '#shared/domain/words.ts';
import { type Alert, type AlertKind, alertId } from './alert.ts';

/**
 * Which alerts an acknowledgement silences: only reminders, or with `worsening` all alerts before
 * the end of the episode.
 */
export const Silences = z.enum(['reminders', 'worsening']);
export type Silences = z.output<typeof Silences>;

/** The body of a request to acknowledge an episode. */
export const AcknowledgementBody = z.strictObject({
  note: Line.optional(),
  silences: Silences.optional(),
});
export type AcknowledgementBody = z.output<typeof AcknowledgementBody>;

/** An episode of a watch. The pair of generation and number is unique within the watch. */
export type EpisodeId = {
  readonly tenant: string;
  readonly list: string;
  readonly rule: string;
  readonly contract: ContractKey;
  readonly generation: number;
  readonly episode: number;
};

/**
 * The acknowledgement of an episode. It silences reminders and, optionally, `worsened` alerts. The
 * alert that ends the episode is always sent.
 */
export type Acknowledgement = EpisodeId & {
  readonly at: Instant;
  /** Undefined if the actor was not recorded. */
  readonly by: Actor | undefined;
  readonly silences: Silences;
  readonly note?: string | undefined;
};

/** Whether an acknowledgement silences an alert of its episode. */
export function isSilenced({ silences }: Acknowledgement, kind: AlertKind): boolean {
  return kind === 'reminder' || (kind === 'worsened' && silences === 'worsening');
}

/** Whether an alert belongs to an episode. An alert's id begins with its watch and generation. */
export function isOfEpisode(alert: Alert, episode: EpisodeId): boolean {
  const begin = alertId(episode, episode.generation, '');
  return alert.episode === episode.episode && alert.id.startsWith(begin);
}

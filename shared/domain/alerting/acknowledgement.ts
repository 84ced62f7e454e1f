import * as z from 'zod';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { Line } from '#shared/domain/watching/words.ts';

/** What a person may say when acknowledging. */
export const AcknowledgementBody = z.strictObject({ note: Line.optional() });

/** One episode of a watch; no other has its generation and number. */
export type EpisodeId = {
  readonly tenant: string;
  readonly list: string;
  readonly rule: string;
  readonly contract: ContractKey;
  readonly generation: number;
  readonly episode: number;
};

/** Somebody has seen an episode and needs no reminders of it; worsening and recovery are told. */
export type Acknowledgement = EpisodeId & {
  readonly at: Instant;
  readonly note?: string | undefined;
};

/** What was said of one episode, among all that was said of a list. */
export function acknowledgementOf(
  acknowledgements: readonly Acknowledgement[],
  about: { readonly [Name in 'rule' | 'contract' | 'generation' | 'episode']: unknown },
): Acknowledgement | undefined {
  return acknowledgements.find(
    ({ rule, contract, generation, episode }) =>
      rule === about.rule &&
      contract === about.contract &&
      generation === about.generation &&
      episode === about.episode,
  );
}

import type { Contract } from '#shared/domain/market/contract.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { NOT_OF_TRAITS } from '#shared/providers/whole-contracts.ts';
import { ANSWER_DEADLINE, within } from '#shared/providers/within.ts';
import type { MainUpstream, Upstream } from '#shared/use-cases/upstream.ts';
import type { Ask } from './ask.ts';
import { callOpenSea } from './call-opensea.ts';
import { createCollectionSlugs } from './collection-slugs.ts';
import { type Dollars, floorPage, pollFloor } from './floors.ts';
import { answerQuestion } from './nft-answers.ts';
import { bestOffer } from './offers.ts';
import { lowestSale, salesBetween } from './sales.ts';

/**
 * OpenSea's API v2. It identifies collections by slug, so the slugs of contracts are looked up and
 * cached.
 */
export function createOpenSea(
  settings: ProviderSettings,
  deadlineMs = ANSWER_DEADLINE,
): MainUpstream & Required<Pick<Upstream, 'bestOffer' | 'salesBetween'>> {
  const slugs = createCollectionSlugs(settings);
  const dollars: Dollars = new Map();

  /** Requests data about a contract's collection; repeats the request if the slug has changed. */
  const about = async <Value>(
    contract: Contract,
    signal: AbortSignal,
    answer: (ask: Ask) => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value>> =>
    await within(deadlineMs, signal, async (inTime) => {
      const ask: Ask = async (path, query, read) => {
        const slug = await slugs.slugOf(contract, inTime);
        if (slug.kind !== 'ok') return slug;
        const below = path(encodeURIComponent(slug.value));
        return await callOpenSea(settings, below, query, read, inTime);
      };
      const answered = await answer(ask);
      if (answered.kind !== 'not_found') return answered;
      slugs.forget(contract);
      return await answer(ask);
    });

  return {
    floorHistory: (contract, { interval, poll }, signal) =>
      about(contract, signal, (ask) =>
        poll === undefined
          ? floorPage(settings, ask, contract, interval)
          : pollFloor(settings, ask, dollars, contract, { interval, ...poll }),
      ),

    lowestTrade: async (contract, days, _way, signal) =>
      contract.traits !== undefined
        ? NOT_OF_TRAITS
        : await about(contract, signal, (ask) => lowestSale(settings, ask, contract, days)),

    bestOffer: async (contract, signal) =>
      contract.traits !== undefined
        ? NOT_OF_TRAITS
        : await about(contract, signal, (ask) => bestOffer(ask, contract)),

    salesBetween: async (contract, span, signal) =>
      contract.traits !== undefined
        ? NOT_OF_TRAITS
        : await about(contract, signal, (ask) => salesBetween(settings, ask, contract, span)),

    answer: (question, signal) =>
      about(question.contract, signal, (ask) => answerQuestion(settings, ask, question)),
  };
}

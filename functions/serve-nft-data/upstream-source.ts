import { isArchiveCursor } from '#shared/domain/archive/place.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Outcome, RawQuestion, Upstream } from '#shared/domain/market/upstream.ts';
import { callInSlot, type GovernedCalls } from '#shared/domain/polling/governed-call.ts';
import type { UpstreamCall } from '#shared/domain/polling/upstream-limits.ts';
import type { NftQuestion, NftSource } from './source.ts';

export type UpstreamSourcePorts = GovernedCalls & Pick<Upstream, 'answer'>;

/** Asks the upstream, within the limits that polling keeps too. */
export function createUpstreamSource(ports: UpstreamSourcePorts): NftSource {
  return async (question, signal) => {
    const { cursor } = { cursor: undefined, ...question };
    if (cursor !== undefined && isArchiveCursor(cursor)) return { kind: 'bad_cursor' };
    const outcome = await askWithin(ports, question, signal);
    return outcome.kind === 'ok' ? { kind: 'ok', body: outcome.value, from: 'upstream' } : outcome;
  };
}

async function askWithin(
  ports: UpstreamSourcePorts,
  question: NftQuestion,
  signal: AbortSignal,
): Promise<Outcome<string> | { readonly kind: 'no_slot'; readonly until: Instant }> {
  const lease = await ports.leaseCalls([CALLS[question.operation]]);
  if (!lease.granted) return { kind: 'no_slot', until: lease.until };
  const [leased] = lease.calls;
  const answered =
    leased &&
    (await callInSlot(
      ports,
      { ...leased, probe: lease.probe },
      () => ports.answer(rawQuestion(question, leased.call), signal),
      signal,
    ));
  return answered?.outcome ?? { kind: 'no_slot', until: ports.now() };
}

/** The ways to an answer, of which the first that is still offered is taken. */
const CALLS: Readonly<Record<NftQuestion['operation'], readonly UpstreamCall[]>> = {
  traits: ['traits'],
  floor: ['floor'],
  lowest: ['lowestprice', 'price'],
};

function rawQuestion(question: NftQuestion, call: UpstreamCall): RawQuestion {
  const { contract } = question;
  switch (question.operation) {
    case 'traits': {
      const { format, limit, cursor, normalizeMetadata, media_items, body } = question;
      const parameters = texts({ format, limit, cursor, normalizeMetadata, media_items });
      return { way: 'nfts-by-traits', contract, parameters, body };
    }
    case 'floor': {
      const parameters = texts({ interval: question.interval, cursor: question.cursor });
      return { way: 'floor-price/historical', contract, parameters };
    }
    case 'lowest': {
      const { days, marketplace } = question;
      const way = call === 'price' ? 'price' : 'lowestprice';
      return { way, contract, parameters: texts({ days, marketplace }) };
    }
  }
}

/** The parameters that were given, as texts. */
function texts(
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): Readonly<Record<string, string>> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, `${value}`]));
}

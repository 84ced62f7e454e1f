import { defined } from '#shared/domain/defined.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import {
  type MemberBody,
  type MemberRequest,
  wholeKeyOf,
} from '#shared/domain/watchlists/watchlist-body.ts';
import type { FoundCollections } from './answer-shapes.ts';
import { ProblemError } from './problem.ts';
import { invalidMembers } from './request.ts';

/** Searches the provider for a collection. */
export type FindContract = (asked: string) => Promise<FoundCollections>;

type Named = Extract<MemberRequest, { readonly asked: unknown }>;
type ContractOrName = Named['asked'];
type Wrong = { readonly path: readonly PropertyKey[]; readonly message: string };

/**
 * The requested contracts by address, with the names of found collections. Throws one problem that
 * lists all contracts that the provider does not have. `pathOf` returns the path of a contract in
 * the body.
 */
export async function contractsByName(
  written: readonly MemberRequest[],
  find: FindContract,
  pathOf: (index: number) => readonly PropertyKey[] = (index) => ['contracts', index],
): Promise<readonly MemberBody[]> {
  const names = new Set(written.flatMap(namesIn));
  if (names.size > LIMITS.request.names) {
    const most = `at most ${LIMITS.request.names} contracts by name in one request`;
    throw invalidMembers([
      {
        path: pathOf(0).slice(0, -1),
        message: `expected ${most}, found ${names.size}; use addresses for the others`,
      },
    ]);
  }
  const findOnce = remembering(find);
  const members: MemberBody[] = [];
  const wrong: Wrong[] = [];
  for (const [index, member] of written.entries()) {
    const meant = 'asked' in member ? await lookUp(member, findOnce, pathOf(index)) : member;
    if ('contract' in meant) members.push(meant);
    else wrong.push(meant);
  }
  if (wrong.length > 0) throw invalidMembers(wrong);
  return members;
}

function namesIn(member: MemberRequest): readonly string[] {
  const asked = 'asked' in member ? [member.asked, ...(member.of ?? [])] : [];
  return asked.flatMap((one) => ('collection' in one ? one.collection : []));
}

/**
 * Caches searches, because a list may name a collection both as a member and in the ratio of
 * another member.
 */
function remembering(find: FindContract): FindContract {
  const found = new Map<string, ReturnType<FindContract>>();
  return async (asked) => {
    const answer = found.get(asked) ?? find(asked);
    found.set(asked, answer);
    return await answer;
  };
}

async function lookUp(
  { asked, of, traits, ...written }: Named,
  find: FindContract,
  path: Wrong['path'],
): Promise<MemberBody | Wrong> {
  const meant = await lookUpOne(asked, find, path);
  if ('path' in meant) return meant;
  const others: ContractKey[] = [];
  for (const one of of ?? []) {
    const other = await lookUpOne(one, find, [...path, 'of']);
    if ('path' in other) return other;
    others.push(other.contract);
  }
  const contract = wholeKeyOf({ contract: meant.contract, traits, of: of && others });
  if (typeof contract !== 'string') return { ...contract, path: [...path, ...contract.path] };
  // The found name describes the whole collection, not tokens with traits or a ratio.
  const name = written.name ?? (contract === meant.contract ? meant.name : undefined);
  return { ...written, contract, ...defined({ name }) };
}

async function lookUpOne(
  one: ContractOrName,
  find: FindContract,
  path: Wrong['path'],
): Promise<MemberBody | Wrong> {
  if ('contract' in one) return one;
  const { collection: asked } = one;
  try {
    const { collection, candidates } = await find(asked);
    if (collection !== null) return { contract: collection.contract, name: collection.name };
    const near = candidates.map((candidate) => `"${candidate.slug}" (${candidate.name})`);
    const hint =
      near.length === 0
        ? `no collection "${asked}" was found; use the slug from its page on the marketplace, or ${ADDRESS} instead`
        : `"${asked}" matches several collections; did you mean ${near.join(', ')}?`;
    return { path, message: hint };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const hint = `use ${ADDRESS} instead of "${asked}"`;
    if (error.code === 'not_supported' || error.code === 'invalid_request') {
      return { path, message: `${error.message}: ${hint}` };
    }
    const pointer = `/${path.map(String).join('/')}`;
    throw new ProblemError(
      `${error.message}; nothing was saved. If trying again does not help, ${hint}`,
      {
        type: error.code,
        issues: [{ pointer, detail: `the name cannot be looked up now; ${hint}` }],
        ...defined({ retryAfterSeconds: error.retryAfterSeconds }),
        cause: error,
      },
    );
  }
}

const ADDRESS = 'a contract as <chain>:<address>, for example eth:0xb47e…,';

import { defined } from '#shared/domain/defined.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { withTraits } from '#shared/domain/market/contract.ts';
import {
  type MemberBody,
  type MemberRequest,
  TOO_LONG,
} from '#shared/domain/watchlists/watchlist-body.ts';
import type { FoundCollections } from './answer-shapes.ts';
import { ProblemError } from './problem.ts';
import { invalidMembers } from './request.ts';

/** Asks the provider what a text means. */
export type FindContract = (asked: string) => Promise<FoundCollections>;

type Named = Extract<MemberRequest, { readonly collection: string }>;
type Wrong = { readonly path: readonly PropertyKey[]; readonly message: string };

/**
 * The contracts that are meant, each by its address; one that was found has the name of its
 * collection. One problem names all that are not found for certain. `pathOf` is where the contract
 * of a number stands in the body.
 */
export async function contractsByName(
  written: readonly MemberRequest[],
  find: FindContract,
  pathOf: (index: number) => readonly PropertyKey[] = (index) => ['contracts', index],
): Promise<readonly MemberBody[]> {
  const names = written.filter((member) => 'collection' in member);
  if (names.length > LIMITS.request.names) {
    const most = `at most ${LIMITS.request.names} contracts by name in one request`;
    throw invalidMembers([
      {
        path: pathOf(0).slice(0, -1),
        message: `expected ${most}, and found ${names.length}; write the others as addresses`,
      },
    ]);
  }
  const members: MemberBody[] = [];
  const wrong: Wrong[] = [];
  for (const [index, member] of written.entries()) {
    const meant = 'collection' in member ? await lookUp(member, find, pathOf(index)) : member;
    if ('contract' in meant) members.push(meant);
    else wrong.push(meant);
  }
  if (wrong.length > 0) throw invalidMembers(wrong);
  return members;
}

async function lookUp(
  member: Named,
  find: FindContract,
  path: Wrong['path'],
): Promise<MemberBody | Wrong> {
  const { collection: asked, name, traits } = member;
  try {
    const { collection, candidates } = await find(asked);
    if (collection !== null) {
      if (traits === undefined)
        return { contract: collection.contract, name: name ?? collection.name };
      const contract = withTraits(collection.contract, traits);
      if (contract === undefined) return { path: [...path, 'traits'], message: TOO_LONG };
      return name === undefined ? { contract } : { contract, name };
    }
    const near = candidates.map((candidate) => `"${candidate.slug}" (${candidate.name})`);
    const hint =
      near.length === 0
        ? `found no collection "${asked}": write the slug of its page at the marketplace, or ${ADDRESS} in its place`
        : `"${asked}" may be several collections: did you mean ${near.join(', ')}?`;
    return { path, message: hint };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const hint = `write ${ADDRESS} in place of "${asked}"`;
    if (error.code === 'not_supported' || error.code === 'invalid_request') {
      return { path, message: `${error.message}: ${hint}` };
    }
    const pointer = `/${path.map(String).join('/')}`;
    throw new ProblemError(`${error.message}; nothing was written. Ask again, or ${hint}`, {
      type: error.code,
      issues: [{ pointer, detail: `cannot be looked up now: ${hint}` }],
      ...defined({ retryAfterSeconds: error.retryAfterSeconds }),
      cause: error,
    });
  }
}

const ADDRESS = 'a contract as <chain>:<address>, for example eth:0xb47e…,';

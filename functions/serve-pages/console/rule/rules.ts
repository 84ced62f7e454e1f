import { ask, type Outcome } from '#console/interface/ask.ts';
import { refreshAll } from '#console/interface/follow.ts';
import type { Answer, BodyOf } from '#console/interface/operations.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';

export type Rule = Answer<'GET /v1/watchlists/{watchlist}/rules/{rule}'>['rule'];
export type RuleBody = BodyOf<'POST /v1/watchlists/{watchlist}/rules'>;

/** A rule with its ETag. The API rejects an edit if the tag is no longer current. */
export type ReadRule = { readonly rule: Rule; readonly tag: string | undefined };

/** Reads a rule. If the read fails, returns its outcome instead. */
export async function readRule(
  watchlist: string,
  rule: string,
): Promise<ReadRule | Outcome<never>> {
  const outcome = await ask('GET /v1/watchlists/{watchlist}/rules/{rule}', {
    path: { watchlist, rule },
  });
  return outcome.kind === 'answered' ? { rule: outcome.answer.rule, tag: outcome.tag } : outcome;
}

/**
 * The outcome of saving a rule. A conflict contains the rule that somebody else has saved
 * meanwhile.
 */
export type Saved =
  | { readonly kind: 'saved'; readonly forecast: string | undefined }
  | { readonly kind: 'conflict'; readonly now: ReadRule }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'offline' };

/** Replaces a rule, unless it has changed since it was read. */
export async function saveRule(watchlist: string, read: ReadRule, body: RuleBody): Promise<Saved> {
  const { id } = read.rule;
  const outcome = await ask('PUT /v1/watchlists/{watchlist}/rules/{rule}', {
    path: { watchlist, rule: id },
    body,
    ifMatch: read.tag,
  });
  if (outcome.kind === 'refused' && CONFLICTS.includes(outcome.problem.status)) {
    const now = await readRule(watchlist, id);
    if (!('kind' in now)) return { kind: 'conflict', now };
  }
  return savedOf(outcome);
}

/** Adds a rule to a list. */
export async function createRule(watchlist: string, body: RuleBody): Promise<Saved> {
  return savedOf(await ask('POST /v1/watchlists/{watchlist}/rules', { path: { watchlist }, body }));
}

const CONFLICTS = [409, 412];

function savedOf(outcome: Outcome<Answer<'POST /v1/watchlists/{watchlist}/rules'>>): Saved {
  if (outcome.kind === 'refused') return outcome;
  if (outcome.kind !== 'answered') return { kind: 'offline' };
  refreshAll();
  const [forecast] = outcome.answer.forecast?.watches ?? [];
  return { kind: 'saved', forecast: forecast?.forecast.text };
}

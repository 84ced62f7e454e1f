import type { APIGatewayProxyResult } from 'aws-lambda';
import * as z from 'zod';
import { ChannelBody } from '#shared/channels/channel-body.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { omit } from '#shared/domain/omit.ts';
import { AlertRule, contractsIn } from '#shared/domain/rules/alert-rule.ts';
import {
  contractsView,
  differencesBetween,
  documentOf,
} from '#shared/domain/watchlists/list-document.ts';
import { RefusedMembersError } from '#shared/domain/watchlists/refused-members.ts';
import { restartedRules, type Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import {
  ListChannelBody,
  MemberRequest,
  WatchlistBody,
} from '#shared/domain/watchlists/watchlist-body.ts';
import { Identifier } from '#shared/domain/words.ts';
import { answer } from '#shared/http/answer.ts';
import type { Own } from '#shared/http/caller.ts';
import { contactPointsOf } from '#shared/http/contact-points.ts';
import { contractsByName } from '#shared/http/contracts-by-name.ts';
import type { AnsweredMembers } from '#shared/http/described.ts';
import { expectMatch, expectMatchIfGiven, revisionHeader } from '#shared/http/entity-tag.ts';
import { existingWatchlist } from '#shared/http/existing-watchlist.ts';
import type { Attempt } from '#shared/http/idempotency.ts';
import { ProblemError } from '#shared/http/problem.ts';
import {
  checkDocument,
  headerOf,
  invalidMembers,
  invalidRequest,
  linkTo,
  pathOf,
  readPath,
} from '#shared/http/request.ts';
import { type Request, route } from '#shared/http/route.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import type { ofChange } from './answers/forecast-of-change.ts';
import type {
  ChangedChannel,
  ContractOfList,
  ContractsOfList,
  RuleOfList,
  RulesOfList,
  TriedContactPoint,
} from './answers/parts.ts';
import { answeredWith, nextRevision, replaceWatchlist } from './change-watchlist.ts';
import { forecastOfChange } from './forecast-of-change.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { MemberReplacement, PutQuery } from './requests.ts';
import { watchlistToReplace } from './salvage-watchlist.ts';
import { unknownContracts } from './unknown-contracts.ts';
import { expectToCome, findFor } from './watchlist-routes.ts';

/*
 * Operations on single contracts, rules and channels of a list, and on contact points of a tenant.
 * Contracts, rules and channels share the document of their list. A change of such a part changes
 * the list, and is validated and applied like a PUT of the list.
 */

type Waiting = { readonly signal: AbortSignal };

/** Adds a contract by its address, or by the name of its collection. */
async function createContract(
  ports: ManageWatchlistsPorts,
  request: Request<unknown, MemberRequest>,
  attempt: Attempt & Waiting,
) {
  const { tenant } = request.caller;
  const find = findFor(ports, tenant, attempt.signal);
  const written = omit(request.body, 'by');
  const [body = {}] = await contractsByName([written], find, () => ['contract']);
  return await contracts.create(ports, { ...request, body }, attempt);
}

/** A part, reduced to its identifier. A contact point in a list is a string with its id. */
type Part = string | { readonly id?: string | undefined; readonly contract?: string | undefined };

type Kind = {
  /** The word for one part in paths and problem documents. */
  readonly name: 'contract' | 'rule' | 'channel';
  /** The member of the document with all parts of this kind. */
  readonly all: 'contracts' | 'rules' | 'channels';
  /** The member that identifies a part. */
  readonly key: 'id' | 'contract';
  readonly path: z.ZodType<Part>;
  /** The answer about one part; undefined if the list lacks it. */
  readonly view: (list: Watchlist, name: string | undefined) => PartView | undefined;
  readonly owner: Owner;
};

type PartView =
  | Pick<ContractOfList, 'contract'>
  | Pick<RuleOfList, 'rule'>
  | Pick<ChangedChannel, 'channel'>;

/** Reads the list that contains the parts, and returns the path of the list. */
type Owner = {
  readonly read: (ports: ManageWatchlistsPorts, request: Request) => Promise<Own<Watchlist>>;
  readonly pathOf: (list: Watchlist) => `/v1${string}`;
};

const ofWatchlist: Owner = {
  read: existingWatchlist,
  pathOf: ({ id }) => `/v1/watchlists/${id}`,
};

const ofTenant: Owner = {
  read: contactPointsToEdit,
  pathOf: () => '/v1',
};

const contracts = handlersOf({
  ...{ name: 'contract', all: 'contracts', key: 'contract' },
  path: z.object({ contract: ContractKey }),
  view: (list, name) => {
    const contract = contractsView(list.members).find((part) => part.contract === name);
    return contract && { contract };
  },
  owner: ofWatchlist,
});

const rules = handlersOf({
  ...{ name: 'rule', all: 'rules', key: 'id' },
  path: z.object({ rule: Identifier }).transform(({ rule }) => ({ id: rule })),
  view: (list, name) => {
    const rule = documentOf(list).rules.find(({ id }) => id === name);
    return rule && { rule };
  },
  owner: ofWatchlist,
});

const aChannel: Omit<Kind, 'owner'> = {
  ...{ name: 'channel', all: 'channels', key: 'id' },
  path: z.object({ channel: Identifier }).transform(({ channel }) => ({ id: channel })),
  view: (list, name) => {
    const channel = documentOf(list).channels.find((part) => nameOf(part) === name);
    return channel === undefined ? undefined : { channel };
  },
};

const channels = handlersOf({ ...aChannel, owner: ofWatchlist });

const contactPoints = handlersOf({ ...aChannel, owner: ofTenant });

async function putContactPoint(
  ports: ManageWatchlistsPorts,
  request: Request<PutQuery, ChannelBody>,
  attempt: Attempt & Waiting,
) {
  return await contactPoints[request.query.dryRun ? 'tryPut' : 'put'](ports, request, attempt);
}

/** The operations on single parts of a list, and on contact points. */
export const partRoutes = {
  'GET /v1/watchlists/{watchlist}/contracts': route(
    { scope: 'read', units: 'read' },
    listContracts,
  ),
  'POST /v1/watchlists/{watchlist}/contracts': route(
    { scope: 'write', units: 'change', body: MemberRequest },
    createContract,
  ),
  'GET /v1/watchlists/{watchlist}/contracts/{contract}': route(
    { scope: 'read', units: 'read' },
    contracts.get,
  ),
  'PUT /v1/watchlists/{watchlist}/contracts/{contract}': route(
    { scope: 'write', units: 'change', body: MemberReplacement },
    contracts.put,
  ),
  'DELETE /v1/watchlists/{watchlist}/contracts/{contract}': route(
    { scope: 'write', units: 'change' },
    contracts.remove,
  ),
  'GET /v1/watchlists/{watchlist}/rules': route({ scope: 'read', units: 'read' }, listRules),
  'POST /v1/watchlists/{watchlist}/rules': route(
    { scope: 'write', units: 'change', body: AlertRule },
    rules.create,
  ),
  'GET /v1/watchlists/{watchlist}/rules/{rule}': route({ scope: 'read', units: 'read' }, rules.get),
  'PUT /v1/watchlists/{watchlist}/rules/{rule}': route(
    { scope: 'write', units: 'change', body: AlertRule },
    rules.put,
  ),
  'DELETE /v1/watchlists/{watchlist}/rules/{rule}': route(
    { scope: 'write', units: 'change' },
    rules.remove,
  ),
  'POST /v1/watchlists/{watchlist}/channels': route(
    { scope: 'write', units: 'change', body: ListChannelBody },
    channels.create,
  ),
  'PUT /v1/watchlists/{watchlist}/channels/{channel}': route(
    { scope: 'write', units: 'change', body: ListChannelBody },
    channels.put,
  ),
  'DELETE /v1/watchlists/{watchlist}/channels/{channel}': route(
    { scope: 'write', units: 'change' },
    channels.remove,
  ),
  'POST /v1/channels': route(
    { scope: 'write', units: 'change', body: ChannelBody },
    contactPoints.create,
  ),
  'PUT /v1/channels/{channel}': route(
    { scope: 'write', units: 'change', query: PutQuery, body: ChannelBody },
    putContactPoint,
  ),
  'DELETE /v1/channels/{channel}': route({ scope: 'write', units: 'change' }, contactPoints.remove),
};

/** The contracts of a list, including the contracts of its wallet. */
async function listContracts(ports: ManageWatchlistsPorts, request: Request) {
  const list = await existingWatchlist(ports, request);
  return await answered(ports, 200, list, { body: { contracts: contractsView(list.members) } });
}

async function listRules(ports: ManageWatchlistsPorts, request: Request) {
  const list = await existingWatchlist(ports, request);
  return await answered(ports, 200, list, { body: { rules: documentOf(list).rules } });
}

function handlersOf(kind: Kind) {
  const { owner } = kind;

  const get = async (ports: ManageWatchlistsPorts, request: Request) => {
    const known = await owner.read(ports, request);
    return await answered(ports, 200, known, { body: viewOf(kind, known, namedIn(kind, request)) });
  };

  const create = async (
    ports: ManageWatchlistsPorts,
    request: Request<unknown, Part>,
    attempt: Attempt & Waiting,
  ) => {
    const { event, body: written } = request;
    const name = nameOf(written) ?? `${kind.name}-${attempt.number.toString(36).slice(-6)}`;
    const part = partNamed(written, kind, name);
    return await change(ports, request, kind, attempt, (before) => {
      const parts = partsOf(kind, before);
      if (parts.some((known) => nameOf(known) === name)) throw alreadyExists(kind, name);
      expectMatchIfGiven(event, 'watchlist', before.revision);
      return { parts: [...parts, part], name };
    });
  };

  const replacing = (
    { event, body: written }: Request<unknown, Part>,
    expectRevision: typeof expectMatchIfGiven | typeof expectMatch,
  ): Editing => {
    const name = nameOf(readPath(event, kind.path));
    if ((nameOf(written) ?? name) !== name) {
      throw invalidMembers([
        {
          path: typeof written === 'string' ? [] : [kind.key],
          message: `expected the same ${kind.key} as in the path, or no ${kind.key}`,
        },
      ]);
    }
    return (before) => {
      const parts = partsOf(kind, before);
      const part = partNamed(written, kind, name ?? '');
      const isThere = parts.some((known) => nameOf(known) === name);
      expectRevision(event, kind.name, isThere ? before.revision : undefined);
      return {
        parts: isThere ? substituted(parts, part) : [...parts, part],
        name,
      };
    };
  };

  const put = async (
    ports: ManageWatchlistsPorts,
    request: Request<unknown, Part>,
    attempt: Attempt & Waiting,
  ) => await change(ports, request, kind, attempt, replacing(request, expectMatch));

  /** Returns the result that a PUT would have. Makes all checks of a PUT, but writes nothing. */
  const tryPut = async (
    ports: ManageWatchlistsPorts,
    request: Request<unknown, Part>,
    { signal }: Waiting,
  ) => {
    const editing = replacing(request, expectMatchIfGiven);
    return await edit(ports, request, kind, signal, editing, async ({ before, after, name }) => {
      const isThere = partsOf(kind, before).some((part) => nameOf(part) === name);
      return answer<TriedContactPoint>(200, {
        revision: isThere ? before.revision : null,
        differences: differencesBetween(documentOf(before), documentOf(after)),
      });
    });
  };

  const remove = async (ports: ManageWatchlistsPorts, request: Request, { signal }: Waiting) => {
    const { event } = request;
    const name = namedIn(kind, request);
    const editing = (before: Own<Watchlist>) => {
      const parts = partsOf(kind, before);
      const left = parts.filter((known) => nameOf(known) !== name);
      if (left.length === parts.length) {
        throw kind.view(before, name) ? heldByWallet(before) : notFound(kind);
      }
      expectMatch(event, kind.name, before.revision);
      expectUnused(kind, before, name);
      return { parts: left, name };
    };
    return await edit(ports, request, kind, signal, editing, async ({ before, after }) => {
      await replaceWatchlist(ports, request.caller.key, before, after);
      return answer(204);
    });
  };

  return { get, create, put, tryPut, remove };
}

type Edit = { readonly parts: readonly Part[]; readonly name: string | undefined };

type Editing = (before: Own<Watchlist>) => Edit;

/** Adds or replaces a part, and returns it in the answer. */
async function change(
  ports: ManageWatchlistsPorts,
  request: Request,
  kind: Kind,
  { signal, ...attempt }: Attempt & Waiting,
  edited: Editing,
): Promise<APIGatewayProxyResult> {
  return await edit(ports, request, kind, signal, edited, async (made) => {
    const { before, after, name, unknown } = made;
    const isNew =
      request.event.httpMethod === 'POST' ||
      !partsOf(kind, before).some((part) => nameOf(part) === name);
    const { forecast } = await forecastOfChange(ports, before, after, unknown);
    const path = `${kind.owner.pathOf(after)}/${kind.all}/${name}` as const;
    const headers: Readonly<Record<string, string>> = isNew
      ? { Location: linkTo(request.event, path) }
      : {};
    return await answeredWith(
      attempt,
      (keep) => replaceWatchlist(ports, request.caller.key, before, after, keep),
      (list, pendingChanges) => {
        const part = viewOf(kind, list, name);
        const body = { ...part, restarted: restartedRules(before, list), forecast };
        return answered(ports, isNew ? 201 : 200, list, { body, headers, pendingChanges });
      },
    );
  });
}

/** Maximum attempts if other requests edit the same list concurrently. */
const ATTEMPTS = 20;

/** A validated edit of the parts of one kind, not yet written. */
type Edited = {
  readonly before: Own<Watchlist>;
  readonly after: Own<Watchlist>;
  readonly name: string | undefined;
  /** New contracts that the provider lacks. */
  readonly unknown: readonly ContractKey[];
};

/**
 * Edits the parts of one kind and returns the result of `write`. After a version conflict, repeats
 * the edit on the newest document, so that concurrent edits of different parts all survive.
 */
async function edit(
  ports: ManageWatchlistsPorts,
  request: Request,
  kind: Kind,
  signal: AbortSignal,
  edited: Editing,
  write: (made: Edited) => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  let unknown: readonly ContractKey[] | undefined;
  return await retryingConflicts(async () => {
    const before = await kind.owner.read(ports, request);
    const { parts, name } = edited(before);
    const document = { ...documentOf(before), [kind.all]: parts };
    try {
      const body = checkDocument(WatchlistBody, document);
      expectToCome(body, before, ports.now(), 'one rule');
      const after = await nextRevision(ports, before, before, body);
      unknown ??= await unknownContracts(ports, before, after, signal);
      return await write({ before, after, name, unknown });
    } catch (error) {
      const index = parts.findIndex((part) => nameOf(part) === name);
      throw asOfPart(error, `/${kind.all}/${index}`);
    }
  }, ATTEMPTS);
}

/**
 * Converts a problem with the document to a problem whose pointers refer to the part in the request
 * body.
 */
function asOfPart(error: unknown, at: string): unknown {
  const problem = error instanceof RefusedMembersError ? invalidMembers(error.issues) : error;
  if (!(problem instanceof ProblemError) || problem.code !== 'invalid_request') return error;
  return invalidRequest(
    problem.issues.map(({ pointer, detail }) =>
      `${pointer}/`.startsWith(`${at}/`)
        ? { pointer: pointer.slice(at.length), detail }
        : {
            pointer: '',
            detail: `the change would make the list invalid at ${pointer}: ${detail}`,
          },
    ),
  );
}

type PartAnswer = ContractsOfList | RulesOfList | ContractOfList | RuleOfList | ChangedChannel;

async function answered(
  ports: ManageWatchlistsPorts,
  status: number,
  list: Own<Watchlist>,
  {
    body,
    headers = {},
    pendingChanges: known,
  }: {
    readonly body:
      | Pick<ContractsOfList, 'contracts'>
      | Pick<RulesOfList, 'rules'>
      | (PartView & AnsweredMembers<typeof ofChange>);
    readonly headers?: Readonly<Record<string, string>>;
    /** The number of pending changes; counted if undefined. */
    readonly pendingChanges?: number | undefined;
  },
): Promise<APIGatewayProxyResult> {
  const pendingChanges = known ?? (await ports.countPendingChanges(list));
  const { revision } = list;
  return answer<PartAnswer>(
    status,
    { ...body, revision, pendingChanges },
    { ...revisionHeader(revision), ...headers },
  );
}

/** The parts in the document of a list, without the contracts of its wallet. */
function partsOf({ all }: Kind, list: Watchlist): readonly Part[] {
  return documentOf(list)[all];
}

function viewOf(kind: Kind, list: Watchlist, name: string | undefined): PartView {
  const view = kind.view(list, name);
  if (view === undefined) throw notFound(kind);
  return view;
}

/** The identifier in the path of a request; undefined if it is invalid. */
function namedIn({ path }: Kind, { event }: Request): string | undefined {
  const { data } = path.safeParse(pathOf(event));
  return data === undefined ? undefined : nameOf(data);
}

function substituted(parts: readonly Part[], part: Part): readonly Part[] {
  return parts.map((known) => (nameOf(known) === nameOf(part) ? part : known));
}

function nameOf(part: Part): string | undefined {
  return typeof part === 'string' ? part : (part.contract ?? part.id);
}

function partNamed(part: Part, { key }: Kind, name: string): Part {
  return typeof part === 'string' ? part : { ...part, [key]: name };
}

/** The contact points of the caller. With `If-Match: *`, unreadable contact points are dropped. */
async function contactPointsToEdit(
  ports: ManageWatchlistsPorts,
  { event, caller: { tenant } }: Request,
): Promise<Own<Watchlist>> {
  if (headerOf(event, 'If-Match') !== '*') return await contactPointsOf(ports, tenant);
  return await contactPointsOf({ getWatchlist: (id) => watchlistToReplace(ports, id) }, tenant);
}

/** Rejects the removal of a part that a rule or the list itself refers to. */
function expectUnused(
  { name: kind }: Kind,
  { rules, notify = {}, escalate }: Watchlist,
  name = '',
): void {
  const user = rules.find((rule) =>
    kind === 'contract'
      ? contractsIn(rule.on).some((contract) => contract === name)
      : kind === 'channel' && rule.notify?.includes(name),
  );
  const problem = (detail: string) => new ProblemError(detail, { type: 'in_use' });
  if (user !== undefined && kind === 'contract') {
    throw problem(
      `the rule "${user.id}" applies to this contract; change the "on" of the rule, or delete the rule, first`,
    );
  }
  if (user !== undefined) {
    throw problem(
      `the rule "${user.id}" notifies this channel; change the "notify" of the rule first`,
    );
  }
  const [severity] = Object.entries(notify).find(([, ids]) => ids?.includes(name)) ?? [];
  if (kind === 'channel' && severity !== undefined) {
    throw problem(
      `the list notifies this channel of ${severity} alerts; change the "notify" of the list first`,
    );
  }
  if (kind === 'channel' && escalate?.to.includes(name)) {
    throw problem('the list escalates to this channel; change the "escalate" of the list first');
  }
}

function alreadyExists({ name, key }: Kind, id: string): ProblemError {
  return new ProblemError(
    `the ${name} "${id}" already exists; choose another ${key}, or replace the ${name} with PUT`,
    {
      type: 'already_exists',
      issues: [
        { pointer: `/${key}`, detail: `expected another ${key}: this one is already in the list` },
      ],
    },
  );
}

function heldByWallet({ wallet }: Watchlist): ProblemError {
  return new ProblemError(
    `the wallet ${wallet?.address} holds tokens of this contract, so the list keeps the contract while the wallet holds them; to remove it now, remove "wallet" from the list`,
    { type: 'in_use' },
  );
}

function notFound({ name }: Kind): ProblemError {
  return new ProblemError(`there is no such ${name}`, { type: 'not_found' });
}

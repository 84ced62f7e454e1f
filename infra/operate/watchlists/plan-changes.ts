import * as z from 'zod';
import { expectAnswer, type Interface, type Problem } from '#infra/operate/interface.ts';
import type { Difference } from '#shared/domain/watchlists/list-document.ts';
import { type Desired, type Directory, WithChannels } from './directory.ts';
import { type FileProblem, pathOf } from './source-file.ts';

/**
 * The scope of `--delete`: parts of lists that are missing from their files, or also whole lists
 * and contact points.
 */
export const Deletes = z.enum(['parts', 'all']);
export type Deletes = z.output<typeof Deletes>;

type Kind = 'contact point' | 'watchlist';

/** The changes that applying one file makes to a list or a contact point. */
export type PlannedChange = {
  readonly kind: Kind;
  readonly desired: Desired;
  /** The revision that the change replaces; null if it creates the resource. */
  readonly revision: number | null;
  /** The differences as the API describes them. */
  readonly differences: readonly Difference[];
  readonly restarted: readonly string[];
  readonly warnings: readonly string[];
};

/** A list or contact point of the tenant that the directory lacks. */
export type Extra = {
  readonly kind: Kind;
  readonly id: string;
  /** Undefined if this version of the stack cannot read it. */
  readonly revision: number | undefined;
};

export type Plan = {
  /** Changes of contact points come before the lists that use them. */
  readonly changes: readonly PlannedChange[];
  readonly extras: readonly Extra[];
  /** Files that the API would reject; if there are any, nothing is changed. */
  readonly problems: readonly FileProblem[];
};

/** Sends each file to the API as a dry run. */
export async function planChanges(http: Interface, directory: Directory): Promise<Plan> {
  const { contactPoints, watchlists } = directory;
  const extras = [
    ...(watchlists === undefined ? [] : lacking('watchlist', await readLists(http), watchlists)),
    ...(contactPoints === undefined
      ? []
      : lacking('contact point', await readContactPoints(http), contactPoints)),
  ];
  const changes: PlannedChange[] = [];
  const problems = [...directory.problems];
  const note = (tried: PlannedChange | readonly FileProblem[]) => {
    if ('kind' in tried) changes.push(tried);
    else problems.push(...tried);
  };
  // A file in which problems were found is not sent.
  const isSound = ({ file }: Desired) => directory.problems.every((known) => known.file !== file);
  for (const desired of contactPoints?.filter(isSound) ?? []) {
    note(await tryChange(http, 'contact point', desired, desired.body));
  }
  const added = changes.filter(({ revision }) => revision === null).map(({ desired }) => desired);
  for (const desired of watchlists?.filter(isSound) ?? []) {
    note(await tryList(http, desired, added));
  }
  return { changes, extras, problems };
}

/** The path of a list or a contact point. */
export function pathIn(kind: Kind, id: string): `/${string}` {
  const folder = kind === 'watchlist' ? 'watchlists' : 'channels';
  return `/v1/${folder}/${encodeURIComponent(id)}`;
}

/** The changes of a file, or the reasons why the API would reject it. */
export async function tryChange(
  http: Interface,
  kind: Kind,
  desired: Desired,
  body: unknown,
): Promise<PlannedChange | readonly FileProblem[]> {
  const tried = await http.ask(`PUT ${pathIn(kind, desired.id)}?dryRun=true`, Tried, { body });
  if (tried.kind === 'refused') return problemsOf(desired, tried.problem);
  const { revision, differences, restarted, forecast } = tried.answer;
  const warnings = forecast.warnings.map(({ text }) => text);
  return { kind, desired, revision, differences, restarted, warnings };
}

/**
 * The changes of a list's file, or the reasons why the API would reject it. A list may use a
 * contact point that does not exist yet. For the dry run, such a contact point is sent as a channel
 * of the list.
 */
async function tryList(http: Interface, desired: Desired, added: readonly Desired[]) {
  const { data } = WithChannels.safeParse(desired.body);
  if (data === undefined) return await tryChange(http, 'watchlist', desired, desired.body);
  const madeBy = (name: unknown) => added.find(({ id }) => id === name);
  const channels = data.channels.map((channel) => madeBy(channel)?.body ?? channel);
  const tried = await tryChange(http, 'watchlist', desired, { ...data, channels });
  if (!('kind' in tried)) return tried;
  const names = data.channels.filter((channel) => madeBy(channel) !== undefined);
  const differences = tried.differences.map((difference) =>
    difference.part === 'channel' && names.includes(difference.name)
      ? { ...difference, members: [] }
      : difference,
  );
  return { ...tried, differences };
}

export function problemsOf(
  { problemAt }: Desired,
  { detail, errors }: Problem,
): readonly FileProblem[] {
  if (errors.length === 0) return [problemAt([], detail)];
  return errors.map((error) => problemAt(pathOf(error.pointer), error.detail));
}

function lacking(
  kind: Kind,
  had: readonly Omit<Extra, 'kind'>[],
  desired: readonly Desired[],
): readonly Extra[] {
  const extras = had.filter(({ id }) => desired.every((other) => other.id !== id));
  return extras.map((extra) => ({ kind, ...extra }));
}

/** The lists of the tenant. */
export async function readLists(http: Interface): Promise<readonly Omit<Extra, 'kind'>[]> {
  const found: Omit<Extra, 'kind'>[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const page = expectAnswer(await http.ask(`GET /v1/watchlists${query}`, Page));
    const unreadable = page.unreadable.map(({ id }) => ({ id, revision: undefined }));
    found.push(...page.watchlists, ...unreadable);
    ({ cursor } = page);
  }
  return found;
}

async function readContactPoints(http: Interface): Promise<readonly Omit<Extra, 'kind'>[]> {
  const { channels } = expectAnswer(await http.ask('GET /v1/channels', Channels));
  return channels.map(({ id }) => ({ id, revision: undefined }));
}

const Tried = z.object({
  revision: z.number().nullable(),
  differences: z.array(
    z.object({
      part: z.enum(['list', 'contract', 'rule', 'channel']),
      name: z.string().nullable(),
      how: z.enum(['added', 'changed', 'removed']),
      members: z.array(
        z.object({
          member: z.string(),
          before: z.string().nullable(),
          after: z.string().nullable(),
        }),
      ),
    }),
  ),
  restarted: z.array(z.string()).default([]),
  forecast: z
    .object({ warnings: z.array(z.object({ text: z.string() })) })
    .default({ warnings: [] }),
});

const Page = z.object({
  watchlists: z.array(z.object({ id: z.string(), revision: z.number() })),
  unreadable: z.array(z.object({ id: z.string() })),
  cursor: z.string().nullable(),
});

const Channels = z.object({ channels: z.array(z.object({ id: z.string() })) });

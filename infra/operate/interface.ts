import * as z from 'zod';

/** The environment variable with the key of the API. */
export const KEY_VARIABLE = 'FLOORWATCH_API_KEY';

/** The reason for a rejected request, as the API returns it (RFC 9457). */
export type Problem = z.output<typeof Problem>;

const Problem = z.object({
  type: z.string(),
  status: z.number(),
  detail: z.string(),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).default([]),
});

/** The optional parts of a request: its body, and the revision that it expects. */
type Given = {
  readonly body?: unknown;
  /**
   * The expected revision of the changed resource; null to create a resource that must not exist.
   */
  readonly revision?: number | null;
};

/** The answer to a request, or the reason why it was rejected. */
export type Outcome<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly problem: Problem };

/** A client of a stack's HTTP API, with a key. */
export type Interface = {
  readonly ask: <Schema extends z.ZodType>(
    request: `${'GET' | 'PUT' | 'DELETE'} /${string}`,
    schema: Schema,
    given?: Given,
  ) => Promise<Outcome<z.output<Schema>>>;
};

type InterfaceSettings = {
  readonly url: string;
  readonly key: string;
  /** Waits for a number of milliseconds. */
  readonly wait: (milliseconds: number) => Promise<unknown>;
};

/** Thrown if no stack responds, or if the stack rejects the key. */
export class InterfaceError extends Error {
  override readonly name = 'InterfaceError';
  readonly code = 'interface_unusable';
}

const TIME_LIMIT_MS = 60_000;
const TRIES = 5;

export function createInterface({ url, key, wait }: InterfaceSettings): Interface {
  const base = url.endsWith('/') ? url : `${url}/`;
  const send = async (request: string, { body, revision }: Given) => {
    const [method = '', path = ''] = request.split(' ');
    const headers = new Headers({ 'X-API-Key': key, Accept: 'application/json' });
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    if (revision === null) headers.set('If-None-Match', '*');
    if (typeof revision === 'number') headers.set('If-Match', `"${revision}"`);
    try {
      const response = await fetch(new URL(path.slice(1), base), {
        ...{ method, headers, signal: AbortSignal.timeout(TIME_LIMIT_MS) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { response, text: await response.text() };
    } catch (cause) {
      throw new InterfaceError(`${url} cannot be reached: ${reasonOf(cause)}`, { cause });
    }
  };

  return {
    ask: async (request, schema, given = {}) => {
      let { response, text } = await send(request, given);
      for (let tries = 1; response.status === 429 && tries < TRIES; tries += 1) {
        await wait(secondsIn(response.headers.get('Retry-After')) * 1000);
        ({ response, text } = await send(request, given));
      }
      const problem = response.ok ? undefined : Problem.safeParse(jsonIn(text)).data;
      if (problem !== undefined && [401, 403].includes(response.status)) {
        throw new InterfaceError(`${url} rejects this key: ${problem.detail}`);
      }
      if (problem !== undefined) return { kind: 'refused', problem };
      const answer = schema.safeParse(text === '' ? undefined : jsonIn(text));
      if (response.ok && answer.success) return { kind: 'answered', answer: answer.data };
      throw new InterfaceError(
        `${url} is not a floorwatch API (it returned ${response.status} for ${request}): give the URL that setup or npm start printed`,
      );
    },
  };
}

/** The value of an answer; throws an InterfaceError if the request was rejected. */
export function expectAnswer<Answer>(outcome: Outcome<Answer>): Answer {
  if (outcome.kind === 'answered') return outcome.answer;
  throw new InterfaceError(outcome.problem.detail);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The seconds of `Retry-After`, between one and sixty. */
function secondsIn(header: string | null): number {
  const seconds = Number(header ?? 1);
  return Number.isFinite(seconds) ? Math.min(60, Math.max(1, seconds)) : 1;
}

/** The message of the system error, which is the cause of an error of `fetch`. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

import type { ServerResponse } from 'node:http';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { Answer, LocalOperation } from './market-answers.ts';

/** One way in which an upstream fails. */
export type Behaviour =
  | { readonly kind: 'unauthorized'; readonly reason?: keyof typeof DENIALS }
  /** `retryAfter` is the text of the header: seconds or an HTTP date. */
  | { readonly kind: 'throttled'; readonly retryAfter?: string }
  | { readonly kind: 'slow'; readonly delayMs: number }
  | { readonly kind: 'huge'; readonly bytes?: number }
  | FixedReply
  | Distortion
  | { readonly kind: 'cut_body' | 'hang' | 'reset' | 'stale' };

type FixedReply = { readonly kind: keyof typeof REPLIES };
type Distortion = { readonly kind: keyof typeof DISTORTIONS };

export type Occasion = {
  readonly operation: LocalOperation;
  readonly contract: ContractKey | undefined;
  /** The number of earlier requests. */
  readonly count: number;
};

type Rule = {
  readonly operation?: LocalOperation;
  readonly contract?: ContractKey;
  /** How often the rule applies; unlimited by default. */
  readonly times?: number;
  readonly behaviour: Behaviour;
};

/**
 * The failures of an upstream: either a function, or a list of rules of which the first matching
 * one applies.
 */
export type Script = ((occasion: Occasion) => Behaviour | undefined) | readonly Rule[];

/** Converts a script to a function, which applies each rule at most `times` times. */
export function readScript(script: Script): (occasion: Occasion) => Behaviour | undefined {
  if (typeof script === 'function') return script;
  const left = new Map(script.map((rule) => [rule, rule.times ?? Number.POSITIVE_INFINITY]));
  return ({ operation, contract }) => {
    const rule = script.find(
      (candidate) =>
        (left.get(candidate) ?? 0) > 0 &&
        (candidate.operation ?? operation) === operation &&
        (candidate.contract ?? contract) === contract,
    );
    if (rule !== undefined) left.set(rule, (left.get(rule) ?? 0) - 1);
    return rule?.behaviour;
  };
}

/** Sends a bad answer; returns the sent status, or 0 without one. */
export function misbehave(
  behaviour: Behaviour,
  response: ServerResponse,
  answerAt: (now: Instant) => Answer,
  now: Instant,
): number {
  if (isReply(behaviour)) return reply(response, REPLIES[behaviour.kind]);
  if (isDistortion(behaviour)) {
    return distorted(DISTORTIONS[behaviour.kind], response, answerAt(now), now);
  }
  switch (behaviour.kind) {
    case 'unauthorized':
      return send(response, 401, { message: DENIALS[behaviour.reason ?? 'key'] });
    case 'throttled': {
      const { retryAfter } = behaviour;
      if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
      return send(response, 429, { message: 'Rate limit exceeded.' });
    }
    case 'slow': {
      const { status, body } = answerAt(now);
      setTimeout(() => send(response, status, body), behaviour.delayMs);
      return status;
    }
    case 'huge':
      return pour(response, behaviour.bytes ?? 64 * 1024 * 1024);
    case 'hang':
      return 0;
    case 'reset':
      response.socket?.resetAndDestroy();
      return 0;
    case 'cut_body': {
      const text = JSON.stringify(answerAt(now).body);
      return send(response, 200, text.slice(0, Math.ceil(text.length / 2)));
    }
    case 'stale': {
      const { status, body } = answerAt(now - 7 * DAY);
      return send(response, status, body);
    }
  }
}

/** Sends a body: a string unchanged, anything else as JSON. Returns the status. */
export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): number {
  if (response.destroyed) return 0;
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
  return status;
}

/** All these rejections have status 401; only their messages differ. */
const DENIALS = {
  key: 'Token is invalid format',
  quota: 'Validation service blocked: Your total included usage has been consumed, please upgrade.',
  paused: 'Your plan is paused',
  blocked: 'Your account has been blocked',
} as const;

type Reply = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];

const REPLIES = {
  not_ready: [202, { message: 'The collection is being synced, please try again later.' }],
  bad_request: [400, { message: ['cursor is invalid'], details: [] }],
  unsupported_chain: [400, { message: 'Chain is not supported by this operation' }],
  forbidden: [403, { message: 'Forbidden' }],
  plan_lacks_it: [403, { message: 'This endpoint needs the Pro plan. Please upgrade your plan.' }],
  not_found: [404, { message: 'Not found' }],
  retired: [410, { message: 'This endpoint has been retired' }],
  server_error: [500, { message: 'Internal server error' }],
  html: [200, '<!doctype html><title>Maintenance</title>', { 'content-type': 'text/html' }],
  redirect: [302, '', { location: 'https://example.com/elsewhere' }],
  empty_body: [200, ''],
  null_body: [200, 'null'],
  garbage: [200, { surprise: true }],
} as const satisfies Record<string, Reply>;

const isReply = (behaviour: Behaviour): behaviour is FixedReply => behaviour.kind in REPLIES;

const reply = (response: ServerResponse, [status, body, headers]: Reply) =>
  send(response, status, body, headers);

const USDC = {
  token_name: 'USD Coin',
  token_symbol: 'USDC',
  token_logo: '',
  token_decimals: '6',
  token_address: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
};

type Distort = (member: string, value: unknown, now: Instant) => unknown;

/** A correct answer with one kind of member changed; undefined removes the member. */
const DISTORTIONS = {
  zero_price: (member, value) => (isPrice(member) && value !== null ? '0' : value),
  null_price: (member, value) => (isPrice(member) ? null : value),
  missing_price: (member, value) => (isPrice(member) ? undefined : value),
  single_object: (member, value) =>
    member === 'result' && Array.isArray(value) ? value[0] : value,
  numeric_strings: (_, value) => (typeof value === 'number' ? `${value}` : value),
  oldest_first: (member, value) =>
    member === 'result' && Array.isArray(value) ? value.toReversed() : value,
  future_time: (member, value, now) => (isTime(member) ? formatInstant(now + DAY) : value),
  other_currency: (member, value) => {
    if (member === 'currency') return 'usdc';
    const isTrade = typeof value === 'object' && value !== null && 'block_timestamp' in value;
    return isTrade ? { ...value, payment_token: USDC } : value;
  },
} as const satisfies Record<string, Distort>;

const isDistortion = (behaviour: Behaviour): behaviour is Distortion =>
  behaviour.kind in DISTORTIONS;

const isPrice = (member: string) => member === 'floor_price' || member === 'price';
const isTime = (member: string) => /timestamp|last_updated/.test(member);

function distorted(
  distort: Distort,
  response: ServerResponse,
  { status, body }: Answer,
  now: Instant,
): number {
  const changed: unknown = JSON.parse(JSON.stringify(body), (member, value) =>
    distort(member, value, now),
  );
  return send(response, status, changed);
}

/** Streams spaces without a length header until all bytes are sent or the reader disconnects. */
function pour(response: ServerResponse, bytes: number): number {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = ' '.repeat(64 * 1024);
  let left = bytes;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) return;
    }
    if (!response.writableEnded) response.end();
  };
  response.on('drain', more);
  more();
  return 200;
}

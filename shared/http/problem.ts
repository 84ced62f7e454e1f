import type { Problem, ValidationIssue } from './answer-shapes.ts';

type Kind = {
  readonly status: number;
  readonly title: string;
  /** Whether the fault is the data provider's, and only passed on. */
  readonly isOfProvider?: true;
};

/** Every problem we answer with, by its type; the type is stable, the words are not. */
const KINDS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  forbidden: { status: 403, title: 'The key does not allow this' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The path does not take this method' },
  gone: { status: 410, title: 'It has ended' },
  no_trade: { status: 404, title: 'No trade was found' },
  already_exists: { status: 409, title: 'The id is taken' },
  conflict: { status: 409, title: 'Changed by another request meanwhile' },
  quota_exceeded: { status: 409, title: 'A limit of the tenant is reached' },
  in_use: { status: 409, title: 'Something else depends on it' },
  unreadable: { status: 409, title: 'This version of the stack cannot read it' },
  episode_over: { status: 409, title: 'No episode is open' },
  not_confirmable: { status: 409, title: 'The channel is confirmed in another way' },
  precondition_failed: { status: 412, title: 'The revision has changed' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key is of another request' },
  precondition_required: { status: 428, title: 'The request names no revision' },
  too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body is of another type' },
  throttled: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  unhealthy: { status: 503, title: 'Not everything works' },
  secrets_unavailable: { status: 503, title: 'Secrets of channels cannot be kept now' },
  upstream_failed: {
    status: 502,
    title: 'The data provider gave no usable answer',
    isOfProvider: true,
  },
  upstream_unavailable: {
    status: 503,
    title: 'The data provider cannot be asked now',
    isOfProvider: true,
  },
  upstream_timeout: {
    status: 504,
    title: 'The data provider did not answer in time',
    isOfProvider: true,
  },
  not_supported: {
    status: 501,
    title: 'The data provider does not offer this',
    isOfProvider: true,
  },
} as const satisfies Record<string, Kind>;

export type ProblemType = keyof typeof KINDS;

export type ProblemOptions = {
  readonly type: ProblemType;
  readonly issues?: readonly ValidationIssue[];
  readonly retryAfterSeconds?: number;
  /** Beside those that every problem is reported with. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
};

/** Thrown to answer a request with a problem, as RFC 9457 says. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemType;
  readonly issues: readonly ValidationIssue[];
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(detail: string, options: ProblemOptions) {
    super(detail, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = options.type;
    this.issues = options.issues ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return KINDS[this.code].status;
  }

  /** Whether the fault is ours. */
  get isOurs(): boolean {
    const kind: Kind = KINDS[this.code];
    return kind.status >= 500 && !kind.isOfProvider;
  }

  /** The problem document. */
  toJSON(): Problem {
    return {
      type: `urn:floorwatch:problem:${this.code}`,
      title: KINDS[this.code].title,
      status: this.status,
      detail: this.message,
      ...(this.issues.length === 0 ? {} : { errors: this.issues }),
    };
  }
}

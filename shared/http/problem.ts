import type { Problem, ValidationIssue } from './answer-shapes.ts';

type Kind = {
  readonly status: number;
  readonly title: string;
  /** Whether the data provider is at fault. */
  readonly isOfProvider?: true;
};

/** The types of problems. Types are stable, texts are not. */
const KINDS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  forbidden: { status: 403, title: 'The key lacks a required scope' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The path does not support this method' },
  gone: { status: 410, title: 'Expired' },
  no_trade: { status: 404, title: 'No trade was found' },
  already_exists: { status: 409, title: 'The id already exists' },
  conflict: { status: 409, title: 'A concurrent request changed the resource' },
  quota_exceeded: { status: 409, title: 'A limit of the tenant is reached' },
  in_use: { status: 409, title: 'The resource is in use' },
  unreadable: { status: 409, title: 'This version of the stack cannot read the resource' },
  episode_over: { status: 409, title: 'No episode is open' },
  not_confirmable: { status: 409, title: 'The channel needs no confirmation by email' },
  precondition_failed: { status: 412, title: 'The revision has changed' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key belongs to another request' },
  precondition_required: { status: 428, title: 'The request needs an If-Match header' },
  too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The type of the body is not supported' },
  throttled: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  unhealthy: { status: 503, title: 'The stack is unhealthy' },
  secrets_unavailable: { status: 503, title: 'Channel secrets cannot be stored at the moment' },
  upstream_failed: {
    status: 502,
    title: 'The data provider returned no usable response',
    isOfProvider: true,
  },
  upstream_unavailable: {
    status: 503,
    title: 'The data provider cannot be called at the moment',
    isOfProvider: true,
  },
  upstream_timeout: {
    status: 504,
    title: 'The data provider did not respond in time',
    isOfProvider: true,
  },
  not_supported: {
    status: 501,
    title: 'The data provider does not support this request',
    isOfProvider: true,
  },
} as const satisfies Record<string, Kind>;

export type ProblemType = keyof typeof KINDS;

export type ProblemOptions = {
  readonly type: ProblemType;
  readonly issues?: readonly ValidationIssue[];
  readonly retryAfterSeconds?: number;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
};

/** Thrown to answer a request with a problem (RFC 9457). */
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

  /** Whether the stack is at fault. */
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

import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Channel } from '#shared/channels/channel.ts';
import type { Alert, RuleAlert } from '#shared/domain/alerting/alert.ts';
import { type RuleWords, worded } from '#shared/domain/alerting/alert-words.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import {
  type InboxEntry,
  inboxEntries,
  type PostedAlert,
} from '#shared/domain/channels/alert-record.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, readDecimal } from '#shared/domain/market/decimal.ts';
import { formatInstant, type Instant, readInstant } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { PRICE_SERIES_NAMES, type PriceSeriesName } from '#shared/domain/market/price-series.ts';
import {
  type ContractRecord,
  newContractRecord,
  type SeriesRecord,
} from '#shared/domain/polling/contract-record.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { AlertRule, type RuleCondition } from '#shared/domain/rules/alert-rule.ts';
import type { Condition } from '#shared/domain/rules/condition.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import {
  newTimeline,
  type Reading,
  type ReadStep,
  readSteps,
  type Timeline,
} from '#shared/domain/timeline/timeline.ts';
import { revise, type Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { evenCosts } from '#test/support/even-costs.ts';

export const NOON: Instant = Date.UTC(2026, 10, 21, 12);
export const PUNKS: ContractKey = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';
export const APES: ContractKey = 'eth:0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d';

/** An amount from a decimal text, in the smallest unit. */
export function eth(text: string): Decimal {
  const value = readDecimal(text);
  if (value === undefined) throw new RangeError(`not a decimal: ${text}`);
  return value;
}

export function instant(text: string): Instant {
  const value = readInstant(text);
  if (value === undefined) throw new RangeError(`not an instant: ${text}`);
  return value;
}

export function aPrice(price: string, given: Partial<PricePoint> = {}): PricePoint {
  return { kind: 'price', time: NOON, price: eth(price), currency: 'eth', ...given };
}

/** The lowest trade of a window, made at `tradedAt`. */
export function aTrade(price: string, tradedAt: Instant, given: Partial<PricePoint> = {}) {
  return aPrice(price, { time: tradedAt, tradedAt, ...given });
}

export function aContractRecord(given: Partial<ContractRecord> = {}): ContractRecord {
  const thresholdIndexes = [{ metric: 'floor_price' as const, unit: 'eth' }];
  return {
    ...newContractRecord(PUNKS, 0),
    version: 1,
    series: { floor: {} },
    thresholdIndexes,
    ...given,
  };
}

/** A record without pending steps, in which this point is the answer for the series. */
export function anAnsweredRecord(
  series: PriceSeriesName,
  point: Point,
  given: Partial<SeriesRecord> = {},
): ContractRecord {
  const known: SeriesRecord = { outcome: 'ok', since: NOON, answeredAt: NOON, ...given };
  return aContractRecord({ series: { [series]: known }, timeline: aTimeline({ [series]: point }) });
}

/** The answers of a poll at this time for some series. */
export function answeredBy(
  asked: Instant,
  series: readonly PriceSeriesName[] = PRICE_SERIES_NAMES,
) {
  return { asked, answeredAt: Object.fromEntries(series.map((name) => [name, asked])) };
}

/** The timeline of a contract with these last points, all of them evaluated. */
export function aTimeline(points: Readonly<Partial<Record<PriceSeriesName, Point>>>): Timeline {
  const { floor, ...sales } = points;
  const at = Math.max(0, ...Object.values(points).flatMap((point) => point?.time ?? []));
  return {
    ...newTimeline(1),
    at,
    before: { ...floorReading(floor), ...sales },
    ...acceptedIn(floor),
  };
}

/** A floor in the three series of floors. Without a confirmation it is withheld in `agreed`. */
export function floorReading(floor: Point | undefined): Reading {
  if (floor === undefined) return {};
  const isAlone = floor.kind === 'price' && floor.confirmedBy === undefined;
  const agreed = isAlone ? { ...floor, isWithheld: true as const } : floor;
  return { reported: floor, floor, agreed };
}

function acceptedIn(floor: Point | undefined): Pick<Timeline, 'accepted'> {
  if (floor?.kind !== 'price') return { accepted: [] };
  const { kind, time, price, currency } = floor;
  return { accepted: [{ kind, time, price, currency }] };
}

/** The steps of polls a minute apart from 12:01, with one floor each. */
export function stepsOf(...floors: readonly (string | PricePoint)[]): readonly ReadStep[] {
  return readSteps(
    floors.reduce<Timeline>((timeline, floor, index) => {
      const minute = NOON + (index + 1) * 60_000;
      const point = typeof floor === 'string' ? aPrice(floor, { time: minute }) : floor;
      const asked = Math.max(minute, point.time);
      const answers = { asked, answeredAt: { floor: asked }, floors: [point], latest: {} };
      return appendPoll(timeline, answers, false);
    }, newTimeline(0)),
  );
}

/** A rule condition in which the members of the only clause are at the top level. */
export type WrittenRuleCondition = Partial<Omit<RuleCondition, 'condition'>> & {
  readonly when?: Condition['when'];
  readonly threshold?: Decimal;
  readonly recover?: Decimal;
  readonly low?: Decimal;
  readonly high?: Decimal;
};

/** A rule that by default fires on a floor below 60 ETH. */
function aRuleCondition({
  when = 'below',
  threshold,
  recover,
  low,
  high,
  ...given
}: WrittenRuleCondition = {}): RuleCondition {
  const condition = {
    when,
    ...(low === undefined ? { threshold: threshold ?? eth('60') } : { low, high }),
  };
  return {
    metric: 'floor_price',
    unit: 'eth',
    arm: 'level',
    ...given,
    condition: { ...condition, ...(recover === undefined ? {} : { recover }) } as Condition,
  };
}

/** A watch for a floor below 60 ETH that is not firing. */
export function aWatch({
  ruleCondition,
  presentation,
  ...given
}: Partial<Omit<Watch, 'ruleCondition' | 'presentation'>> & {
  readonly ruleCondition?: WrittenRuleCondition;
  readonly presentation?: Partial<Watch['presentation']>;
} = {}): Watch {
  return {
    tenant: 'acme',
    list: 'punks',
    rule: 'floor-60',
    contract: PUNKS,
    version: 1,
    generation: 1,
    ruleCondition: aRuleCondition(ruleCondition),
    repeatPolicy: { repeat: 'every' },
    presentation: { severity: 'warning', notifyRecovery: true, ...presentation },
    admin: 'enabled',
    since: NOON - 24 * 3_600_000,
    state: 'ok',
    evaluatedSeq: 0,
    episode: 0,
    alerts: 0,
    ...given,
  };
}

/** A rule as in the body of a request. */
export function aRuleBody(given: object = {}) {
  return {
    id: 'floor-60',
    metric: 'floor_price',
    when: 'below',
    threshold: '60',
    ...given,
  };
}

export function aRule(given: object = {}): AlertRule {
  return AlertRule.parse(aRuleBody(given));
}

/** A watchlist as in the body of a request. */
export function aWatchlistBody(given: object = {}) {
  return { id: 'punks', name: 'Punks', contracts: [PUNKS], rules: [aRuleBody()], ...given };
}

/** The first revision of a watchlist, or the one after `before`. */
export function aWatchlist(
  { channels = [], ...given }: { channels?: readonly Channel[]; [member: string]: unknown } = {},
  before?: Watchlist,
  tenant = 'acme',
): Watchlist {
  const body = WatchlistBody.parse(aWatchlistBody(given));
  return revise({ tenant, id: body.id ?? 'punks' }, before, body, channels);
}

export function anAlert(given: Partial<RuleAlert> = {}): RuleAlert {
  return {
    id: '0123456789abcdef0123.1.1',
    kind: 'fired',
    tenant: 'acme',
    watchlist: 'punks',
    rule: 'floor-60',
    contract: PUNKS,
    name: 'CryptoPunks',
    metric: 'floor_price',
    when: 'below',
    threshold: '60',
    value: '59.9',
    previous: '61.25',
    unit: 'eth',
    usd: '181000.1299',
    dataTime: formatInstant(NOON),
    late: false,
    source: 'opensea',
    at: formatInstant(NOON + 60_000),
    generation: 1,
    episode: 1,
    open: true,
    duration: null,
    extreme: null,
    severity: 'warning',
    label: null,
    title: 'CryptoPunks below 60 ETH: 59.9 ETH',
    facts: [{ name: 'Was', value: '61.25 ETH' }],
    ...given,
  };
}

/** An alert that was posted when it was made. */
export function aPostedAlert(
  alert: Alert = anAlert(),
  destinations: readonly DestinationId[] = [],
  postedAt = Date.parse(alert.at),
): PostedAlert {
  return { alert, postedAt, destinations };
}

/** The inbox entry of an alert. */
export function anInboxEntry(
  destinationId: DestinationId,
  alert: Alert,
  given: Partial<InboxEntry> = {},
): InboxEntry {
  const [entry] = inboxEntries(aPostedAlert(alert, [destinationId]));
  if (entry === undefined) throw new Error('no entry');
  return { ...entry, ...given };
}

/** An alert with texts; by default its rule is for a floor below 60 ETH. */
export function anAlertInWords(
  given: Partial<RuleAlert> = {},
  words: Partial<RuleWords> = {},
): RuleAlert {
  const condition = 'at or below 60 ETH';
  const conditions = [`floor price ${condition}`];
  return worded(anAlert(given), { condition, conditions, ...words });
}

/** The lines that people read in an alert. */
export function linesSaid({ title, facts }: Pick<RuleAlert, 'title' | 'facts'>): readonly string[] {
  return [title, ...facts.map(({ name, value }) => `${name}: ${value}`)];
}

export function someLimits(given: Partial<UpstreamLimits> = {}): UpstreamLimits {
  return {
    callsPerSecond: 5,
    budgetPerDay: 100_000,
    budgetPerMonth: 2_000_000,
    provider: 'nft-data',
    costs: { ...evenCosts(1), floor: 50, traits: 50 },
    shares: { polling: 60, interface: 20 },
    ...given,
  };
}

/**
 * A request to a route such as `PUT /v1/watchlists/{watchlist}`, as API Gateway REST passes it to a
 * function. Pass path parameters decoded; the request contains them percent-encoded.
 */
export function anHttpRequest(
  route: string,
  given: {
    readonly path?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string | readonly string[]>>;
    readonly headers?: Readonly<Record<string, string>>;
    /** A string is sent unchanged, anything else as JSON. */
    readonly body?: unknown;
    readonly tenant?: string;
    readonly scopes?: string;
  } = {},
): APIGatewayProxyEvent {
  const {
    path = {},
    query = {},
    headers = {},
    body,
    tenant = 'acme',
    scopes = 'read write',
  } = given;
  const [httpMethod = '', resource = ''] = route.split(' ');
  const parameters = Object.fromEntries(
    Object.entries(path).map(([name, value]) => [name, encodeURIComponent(value.toWellFormed())]),
  );
  const reported = resource.replace(/\{(\w+)\}/g, (_all, name: string) => parameters[name] ?? '');
  const lists = Object.entries(query).map(([name, value]) => [name, [value].flat()] as const);
  return {
    httpMethod,
    resource,
    path: reported,
    pathParameters: parameters,
    queryStringParameters: Object.fromEntries(lists.map(([name, all]) => [name, all.at(-1)])),
    multiValueQueryStringParameters: Object.fromEntries(
      lists.map(([name, all]) => [name, [...all]]),
    ),
    headers,
    multiValueHeaders: {},
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    isBase64Encoded: false,
    stageVariables: null,
    requestContext: {
      accountId: '000000000000',
      apiId: 'api',
      authorizer: { tenant, scopes, keyId: '0123456789', keyName: 'the script' },
      httpMethod,
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: '127.0.0.1',
        user: null,
        userAgent: null,
        userArn: null,
      },
      // The stage precedes the path, as under `execute-api`.
      path: `/test${reported}`,
      protocol: 'HTTP/1.1',
      requestId: 'request-1',
      requestTimeEpoch: NOON,
      resourceId: 'resource',
      resourcePath: resource,
      stage: 'test',
    },
  };
}

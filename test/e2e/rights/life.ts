import { ListTopicsCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { createTradeReader, isPaidInEth, tokenIn } from '#shared/domain/archive/import-line.ts';
import { DAY, formatInstant, MINUTE } from '#shared/domain/market/instant.ts';
import { createTokenArchive } from '#shared/stores/token-store.ts';
import { createTradeArchive } from '#shared/stores/trade-store.ts';
import type { AwsCall } from '#test/support/aws-calls.ts';
import { region, type Stack } from '#test/support/template.ts';
import { START, startWorld, TENANT, type World } from './world.ts';

const MOVES = { metric: 'floor_change_pct.24h', when: 'below', threshold: '-50' };
const ANY_PRICE = { metric: 'floor_price', when: 'above', threshold: '0.000001' };
const RULES = [
  { id: 'any', ...ANY_PRICE },
  { id: 'held', ...ANY_PRICE },
  { id: 'kept', ...ANY_PRICE },
  { id: 'moves', ...MOVES },
  { id: 'ends', ...MOVES, expiresAt: formatInstant(START + 3 * MINUTE) },
];
const ANY = { 'if-match': '*' };
const LIST = '/v1/watchlists/demo';

export type Life = {
  readonly stack: Stack;
  /** The distinct AWS calls of the stack's functions. */
  readonly calls: readonly AwsCall[];
  /** Errors thrown by the functions or the recorder. */
  readonly failures: readonly unknown[];
  /** Functions that the test never invoked. */
  readonly idle: readonly string[];
};

/**
 * Puts the functions of the stack into every situation that needs a right: prices that cross
 * thresholds, channels of every kind, a failing upstream, and requests that create, read, test and
 * delete.
 */
export async function live(python: string): Promise<Life> {
  await using open = new AsyncDisposableStack();
  const world = await startWorld(open, python);
  await setUp(world);
  await world.pass(5);
  await readAndTry(world);
  await lookAtChart(world);
  await pressLinks(world);
  await readEmails(world);
  await askForNftData(world);
  await takeAway(world);
  await world.pass(6);
  const { stack, calls, failures, idle } = world;
  return { stack, calls: [...calls.values()], failures, idle: idle() };
}

function listOf({ contract, channels }: World) {
  return {
    ...{ id: 'demo', name: 'Demo', contracts: [contract], rules: RULES, channels },
    report: { every: 'day', at: '12:04' },
  };
}

async function setUp(world: World): Promise<void> {
  const { ask, emulator } = world;
  await emulator.sqs.send(new CreateQueueCommand({ QueueName: 'theirs' }));
  await ask('POST /v1/watchlists', listOf(world), { 'idempotency-key': '"demo"' });
  // This request is rejected after its key is stored, because the list exists.
  const again = { 'idempotency-key': '"again"', isRefused: true };
  await ask('POST /v1/watchlists', listOf(world), again);
  // A wallet is read again after a day.
  await ask('POST /v1/watchlists', { id: 'held', name: 'Held', wallet: `0x${'d8'.repeat(20)}` });
  await ask(`POST ${LIST}/mutes`, { rule: 'held', for: '2m' });
  await ask(`POST ${LIST}/mutes`, { rule: 'kept', for: '1d' });
}

async function readAndTry({ ask, contract, emulator, market }: World): Promise<void> {
  const read = async (path: string) => JSON.parse((await ask(`GET ${path}`)).body);
  const { alerts } = await read(`${LIST}/alerts?kind=fired`);
  const { watches } = await read(`${LIST}/watches`);
  const alert = `${LIST}/alerts/${alerts[0].at}~${alerts[0].id}`;
  const watch = `${LIST}/watches/${watches[0].contract}/${watches[0].rule}`;
  for (const path of [
    ...['', '/export', '/contracts', '/rules', '/channels', '/channels/desk', '/mutes'].map(
      (series) => `${LIST}${series}`,
    ),
    ...['/v1/overview', '/v1/watches', '/v1/episodes'],
    ...['/v1/alerts', '/v1/changes', '/v1/contracts', `/v1/contracts/${contract}`, '/v1/health'],
    ...[`/v1/contracts/${contract}/prices`, alert, watch, `${watch}/explain`],
    ...['/v1/operations', '/v1/openapi.json', '/app'],
  ]) {
    await ask(`GET ${path}`);
  }
  const made = JSON.parse(
    (await ask('POST /v1/keys', { name: 'a script', scopes: ['read'] })).body,
  );
  await ask(`POST /v1/keys/${made.id}/rotate`, {});
  await ask(`DELETE /v1/keys/${made.id}`);
  const { code } = JSON.parse((await ask('POST /v1/sign-ins')).body);
  await ask('POST /v1/sign-ins/redeem', { code });
  await ask(`POST ${LIST}/channels/closed/test`, {}, { 'idempotency-key': '"test"' });
  await ask(`POST ${alert}/acknowledge`, {});
  const { mutes } = await read(`${LIST}/mutes`);
  const { id: mute } = mutes.find(({ rule }: { rule: string }) => rule === 'kept');
  await ask(`DELETE ${LIST}/mutes/${mute}`, undefined, ANY);
  // A preview of an unwatched contract fetches the history of its floors from the provider.
  const [, unwatched] = market.contracts();
  const tried = [contract, unwatched?.contract];
  await ask('POST /v1/rules/preview', { rule: MOVES, contracts: tried, days: 2 });

  const { Topics = [] } = await emulator.sns.send(new ListTopicsCommand({}));
  const topic = Topics.find(({ TopicArn = '' }) => TopicArn.includes(':floorwatch-rights-'));
  const link = `https://sns.${region}.amazonaws.com/confirmation.html?Token=none&TopicArn=${topic?.TopicArn}`;
  const onceRefused = { 'idempotency-key': '"confirm"', isRefused: true };
  await ask(`POST ${LIST}/channels/desk/confirm`, { link }, onceRefused);
}

/** Follows the address of a chart in a chat message. */
async function lookAtChart({ ask, sent }: World): Promise<void> {
  const [, path = ''] = /"https?:[^"\\]+(\/v1\/charts\/[^"\\]+)"/.exec(JSON.stringify(sent)) ?? [];
  await ask(`GET ${path}`);
}

/** Opens the links of all messages, and acknowledges, snoozes and resumes each open episode. */
async function pressLinks({ ask, sent }: World): Promise<void> {
  const found = JSON.stringify(sent).matchAll(/"https?:[^"?]+(\/v1\/actions\/[\w.-]+)\?/g);
  const addresses = [...new Set([...found].map(([, path = '']) => path))];
  let acted = 0;
  for (const address of addresses) {
    const { body } = await ask(`GET ${address}`);
    if (!body.includes('<form')) continue;
    for (const action of ['acknowledge', 'snooze-1h', 'snooze-until-recovered', 'resume']) {
      await ask(`POST ${address}?do=${action}`, 'name=Ada', FORM);
    }
    acted += 1;
  }
  if (acted === 0) throw new Error(`none of ${addresses.length} links acts on an open episode`);
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Reports a bounce of an email, after which its reader unsubscribes. */
async function readEmails({ ask, emails, invoke }: World): Promise<void> {
  const { to, unsubscribe } = emails.find((one) => one.unsubscribe !== undefined) ?? {};
  const destination = `${TENANT}#demo#desk`;
  await invoke('record-bounces', {
    detail: {
      ...{ eventType: 'Bounce', bounce: { bounceType: 'Permanent', bounceSubType: 'NoEmail' } },
      mail: {
        destination: [to],
        tags: { channel: [Buffer.from(destination).toString('base64url')] },
      },
    },
  });
  const attribute = { stringValue: destination, dataType: 'String' };
  await invoke('record-bounces', {
    Records: [
      { messageId: 'undelivered', body: '{}', messageAttributes: { destination: attribute } },
    ],
  });
  const [, path] = /^https?:\/\/[^/]+(?:\/[^/]+)??(\/v1\/.*)$/.exec(String(unsubscribe)) ?? [];
  await ask(`POST ${path}`, 'List-Unsubscribe=One-Click', FORM);
}

/** Reads from the upstream and, after it is closed, from the archive. */
async function askForNftData({ ask, market, contract, now, upstream, bulk }: World) {
  const [chain, address] = contract.split(':');
  const interface22 = `/api/v2.2/nft/${address}`;
  const tokens = market.tokens(contract).slice(0, 20).map(tokenIn);
  await createTokenArchive(bulk).putTokens(tokens, 'a file');
  const trades = [...market.trades(contract, now() - DAY, now())];
  const sales = trades.map(({ record }) => record).filter(isPaidInEth);
  await createTradeArchive(bulk).putTrades(sales.slice(0, 9).map(createTradeReader()));

  await ask(`POST ${interface22}/nfts-by-traits?chain=${chain}`, { traits: { none: 'such' } });
  await upstream.close();
  await ask(`POST ${interface22}/nfts-by-traits?chain=${chain}`, {
    traits: { Eyes: 'Open', Body: 'Plain' },
  });
  await ask(`GET ${interface22}/floor-price/historical?chain=${chain}&interval=7d`);
  await ask(`GET ${interface22}/lowestprice?chain=${chain}&days=7`);
}

async function takeAway(world: World): Promise<void> {
  const { ask, pass, now, advanceTo } = world;
  const demo = listOf(world);
  const [desk] = demo.channels;
  const [, ...rules] = demo.rules;
  const less = { ...demo, rules, channels: [desk, { ...desk, id: 'second' }] };
  await ask(`PUT ${LIST}?dryRun=true`, less, ANY);
  await ask(`PUT ${LIST}`, less, ANY);
  await pass(2);
  await ask(`DELETE ${LIST}`, undefined, ANY);
  await pass(1);
  // The channels of a deleted list remain for a day, because its watches may still send alerts.
  advanceTo(now() + DAY);
}

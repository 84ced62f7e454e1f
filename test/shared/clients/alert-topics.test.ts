import {
  ConfirmSubscriptionCommand,
  CreateTopicCommand,
  FilterPolicyLimitExceededException,
  GetSubscriptionAttributesCommand,
  GetTopicAttributesCommand,
  InvalidParameterException,
  ListSubscriptionsByTopicCommand,
  ListTopicsCommand,
  PublishCommand,
  SetTopicAttributesCommand,
  SNSClient,
  SubscribeCommand,
  SubscriptionLimitExceededException,
  UnsubscribeCommand,
} from '@aws-sdk/client-sns';
import { mockClient } from 'aws-sdk-client-mock';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAlertTopics } from '#shared/clients/alert-topics.ts';
import { alertMessage } from '#shared/domain/alerting/alert-message.ts';
import { emailText } from '#shared/domain/alerting/email-text.ts';
import { digestOf, type Notification } from '#shared/domain/alerting/notification.ts';
import type { Subscriber } from '#shared/domain/channels/subscriber.ts';
import { anAlert, anAlertInWords } from '#test/support/builders.ts';

const list = { tenant: 'acme', id: 'punks' };
const stackTopicArn = 'arn:aws:sns:us-east-1:000000000000:floorwatch-test-alerts';
const settings = { stackTopicArn, prefix: 'floorwatch-test-' };

describe('alert topics', () => {
  let server: FauxqsServer;
  let client: SNSClient;
  beforeAll(async () => {
    server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
    client = anSnsClient(server.address);
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });

  /** Topics of a stage of their own. */
  const aStage = (name: string) => {
    const { topicArn } = server.createTopic(`${name}-alerts`);
    return {
      topicArn,
      prefix: `${name}-`,
      topics: createAlertTopics(client, { stackTopicArn: topicArn, prefix: `${name}-` }),
    };
  };

  /** Subscribes a queue to a topic; returns what it holds. */
  const aSubscriber = (topicArn: string) => {
    const topic = topicArn.slice(topicArn.lastIndexOf(':') + 1);
    server.createQueue(`to-${topic}`);
    server.subscribe({ topic, queue: `to-${topic}` });
    return () =>
      (server.inspectQueue(`to-${topic}`)?.messages.ready ?? []).map(
        ({ body }) => JSON.parse(body) as Envelope,
      );
  };

  const topicsOf = async ({ prefix, topicArn }: ReturnType<typeof aStage>) => {
    const { Topics = [] } = await client.send(new ListTopicsCommand({}));
    return Topics.flatMap(({ TopicArn = '' }) =>
      TopicArn !== topicArn && TopicArn.includes(`:${prefix}`) ? [TopicArn] : [],
    );
  };

  const subscriptionsOf = async (stage: ReturnType<typeof aStage>) => {
    const [TopicArn, ...others] = await topicsOf(stage);
    expect(others).toEqual([]);
    const { Subscriptions = [] } = await client.send(
      new ListSubscriptionsByTopicCommand({ TopicArn }),
    );
    return Subscriptions;
  };
  const subscribersOf = async (stage: ReturnType<typeof aStage>) =>
    (await subscriptionsOf(stage)).map(({ Endpoint }) => Endpoint).toSorted();

  it('give an alert to each subscriber, in the form of its own', async () => {
    const { topics, topicArn } = aStage('form');
    const received = aSubscriber(topicArn);
    const alert = anAlert({ name: 'Punks “Ξ”' });

    const chart = 'https://api.example.com/prod/v1/charts/W10.c2lnbmVk.png';
    await topics.publishToStack({ kind: 'alert', alert, chart });

    const text = emailText({ kind: 'alert', alert });
    const [envelope, ...others] = received();
    const forms: unknown = JSON.parse(envelope?.Message ?? '');
    expect(others).toEqual([]);
    expect(forms).toEqual({
      default: text,
      email: `${text}
Chart: ${chart}
`,
      sqs: expect.any(String),
    });
    expect(JSON.parse((forms as { sqs: string }).sqs)).toEqual(
      alertMessage({ kind: 'alert', alert, chart }),
    );
  });

  it('give many alerts as one text, and programs all that are in it', async () => {
    const { topics, topicArn } = aStage('digest');
    const received = aSubscriber(topicArn);
    const notification = digestOf('d1', [
      anAlert({ severity: 'critical' }),
      anAlert({ id: 'b.1.1' }),
    ]);

    await topics.publishToStack(notification);

    const [envelope] = received();
    const forms = JSON.parse(envelope?.Message ?? '') as { email: string; sqs: string };
    expect(forms.email).toBe(`${emailText(notification)}\n`);
    expect(JSON.parse(forms.sqs)).toEqual(notification);
    expect(envelope?.MessageAttributes).toEqual({
      kind: { Type: 'String', Value: 'digest' },
      severity: { Type: 'String', Value: 'critical' },
    });
  });

  it('tell in attributes what subscribers filter by', async () => {
    const { topics, topicArn } = aStage('attributes');
    const received = aSubscriber(topicArn);

    await topics.publishToStack(aNotification({ kind: 'recovered', severity: 'critical' }));

    expect(received()[0]?.MessageAttributes).toEqual({
      kind: { Type: 'String', Value: 'recovered' },
      severity: { Type: 'String', Value: 'critical' },
      tenant: { Type: 'String', Value: 'acme' },
      watchlist: { Type: 'String', Value: 'punks' },
    });
  });

  it('of a list take messages over TLS only, keep them encrypted, and stay as they are', async () => {
    const stage = aStage('protected');
    const one = [aSubscription({ protocol: 'sqs', endpoint: aQueue(server, 'p').arn })];
    await stage.topics.keepSubscribers(list, one);
    const [TopicArn] = await topicsOf(stage);

    const { Attributes } = await client.send(new GetTopicAttributesCommand({ TopicArn }));
    const sent = vi.spyOn(client, 'send');
    await stage.topics.keepSubscribers(list, one);

    expect(Attributes).toMatchObject({ KmsMasterKeyId: 'alias/aws/sns' });
    expect(JSON.parse(Attributes?.Policy ?? '').Statement).toEqual([
      expect.objectContaining({
        ...{ Effect: 'Deny', Principal: '*', Action: 'sns:Publish', Resource: TopicArn },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    ]);
    expect(sent.mock.calls.filter(([call]) => call instanceof SetTopicAttributesCommand)).toEqual(
      [],
    );
  });

  it('give a queue of one channel what is for that channel, as it is', async () => {
    const stage = aStage('own');
    const onStack = aSubscriber(stage.topicArn);
    const [mine, other] = ['own-mine', 'own-other'].map((name) => aQueue(server, name));
    await stage.topics.keepSubscribers(list, [
      aSubscription({ channel: 'mine', protocol: 'sqs', endpoint: mine?.arn ?? '' }),
      aSubscription({ channel: 'other', protocol: 'sqs', endpoint: other?.arn ?? '' }),
    ]);

    await stage.topics.publishToChannel(list, 'mine', aNotification());

    const forms = JSON.parse(mine?.bodies()[0] ?? '') as { sqs: string };
    expect(JSON.parse(forms.sqs)).toMatchObject(anAlert());
    expect([mine?.bodies().length, other?.bodies().length]).toEqual([1, 0]);
    expect(onStack()).toEqual([]);
  });

  it('tell that a list has no topic', async () => {
    const { topics } = aStage('none');

    expect(await topics.publishToChannel(list, 'desk', aNotification())).toBe('no_topic');
  });

  it('tell whether a list has one', async () => {
    const { topics } = aStage('there');
    const before = await topics.hasTopic(list);
    await topics.keepSubscribers(list, emails('desk@example.com'));

    expect([before, await topics.hasTopic(list)]).toEqual([false, true]);
  });

  it('are made for a list with its first subscriber, under a name of the stage', async () => {
    const stage = aStage('made');

    await stage.topics.keepSubscribers(list, emails('desk@example.com', 'night@example.com'));

    expect(await topicsOf(stage)).toEqual([
      expect.stringMatching(/^arn:aws:sns:us-east-1:000000000000:made-[0-9a-f]{32}$/),
    ]);
    expect(await subscribersOf(stage)).toEqual(['desk@example.com', 'night@example.com']);
  });

  it('gain and lose subscribers as the list does', async () => {
    const stage = aStage('changed');

    await stage.topics.keepSubscribers(list, emails('a@example.com', 'b@example.com'));
    await stage.topics.keepSubscribers(list, emails('b@example.com', 'c@example.com'));

    expect(await subscribersOf(stage)).toEqual(['b@example.com', 'c@example.com']);
  });

  it('are as they were when the same is asked again', async () => {
    const stage = aStage('again');
    await stage.topics.keepSubscribers(list, emails('a@example.com', 'b@example.com'));
    const before = await subscriptionsOf(stage);

    await stage.topics.keepSubscribers(list, emails('a@example.com', 'b@example.com'));

    expect(await subscriptionsOf(stage)).toEqual(before);
  });

  it('let an address be that of another channel, or of two, without asking it again', async () => {
    const stage = aStage('renamed');
    await stage.topics.keepSubscribers(list, [aSubscription({ channel: 'desk' })]);
    const before = await subscriptionsOf(stage);

    await stage.topics.keepSubscribers(list, [
      aSubscription({ channel: 'office' }),
      aSubscription({ channel: 'night' }),
    ]);

    const after = await subscriptionsOf(stage);
    const { Attributes } = await client.send(
      new GetSubscriptionAttributesCommand({ SubscriptionArn: after[0]?.SubscriptionArn }),
    );
    expect(after).toEqual(before);
    expect(Attributes?.FilterPolicy).toBe('{"channel":["night","office"]}');
  });

  it('leave a subscriber that was just asked for another list to the next evaluation', async () => {
    const stage = aStage('later');

    const { states } = await stage.topics.keepSubscribers(list, [aSubscription({ ask: 'later' })]);

    expect([states, await subscribersOf(stage)]).toEqual([new Map(), []]);
  });

  it('do not ask a subscriber again that has left', async () => {
    const stage = aStage('left');

    const night = aSubscription({ channel: 'night', endpoint: 'night@example.com' });
    await stage.topics.keepSubscribers(list, [night]);

    const { states } = await stage.topics.keepSubscribers(list, [
      night,
      aSubscription({ channel: 'desk', ask: 'never' }),
    ]);

    expect(states.get('desk')).toBe('gone');
    expect(await subscribersOf(stage)).toEqual(['night@example.com']);
  });

  it('confirm a subscription by its token, for this list and no other', async () => {
    const stage = aStage('confirmed');
    await stage.topics.keepSubscribers(list, emails('desk@example.com'));
    const [{ SubscriptionArn: token = '' } = {}] = await subscriptionsOf(stage);
    const other = { tenant: 'acme', id: 'apes' };
    await stage.topics.keepSubscribers(other, emails('desk@example.com'));

    expect(await stage.topics.confirm(other, token)).toBeUndefined();
    expect(await stage.topics.confirm(list, 'worn out')).toBeUndefined();
    expect(await stage.topics.confirm({ tenant: 'acme', id: 'none' }, token)).toBeUndefined();
    expect(await stage.topics.confirm(list, token)).toEqual({ state: 'confirmed' });
  });

  it('are gone with the last subscriber, also when that is asked again', async () => {
    const stage = aStage('gone');
    await stage.topics.keepSubscribers(list, emails('desk@example.com'));

    await stage.topics.keepSubscribers(list, []);
    await stage.topics.keepSubscribers(list, []);

    expect(await topicsOf(stage)).toEqual([]);
    expect(await stage.topics.publishToChannel(list, 'desk', aNotification())).toBe('no_topic');
  });

  it('lose subscribers that are not on the first page too', async () => {
    const stage = aStage('many');
    const many = Array.from({ length: 130 }, (_, n) => `desk-${n}@example.com`);
    await stage.topics.keepSubscribers(list, emails(...many));

    await stage.topics.keepSubscribers(list, emails('desk-0@example.com'));

    expect(await subscribersOf(stage)).toEqual(['desk-0@example.com']);
  });

  it('leave alone what others subscribed to them in other ways', async () => {
    const stage = aStage('others');
    await stage.topics.keepSubscribers(list, emails('a@example.com'));
    const [TopicArn] = await topicsOf(stage);
    const Endpoint = 'arn:aws:lambda:us-east-1:000000000000:function:theirs';
    await client.send(new SubscribeCommand({ TopicArn, Protocol: 'lambda', Endpoint }));

    await stage.topics.keepSubscribers(list, emails('b@example.com'));

    expect(await subscribersOf(stage)).toEqual([Endpoint, 'b@example.com']);
  });
});

describe('a topic of a list', () => {
  it('has another name for every tenant and list', async () => {
    const { mock, topics } = aMockedTopic();
    const lists = [
      { tenant: 'acme', id: 'punks' },
      { tenant: 'beta', id: 'punks' },
      { tenant: 'acme', id: 'apes' },
      { tenant: 'acme-punks', id: 'a' },
      { tenant: 'acme', id: 'punks-a' },
    ];

    for (const one of lists) await topics.keepSubscribers(one, emails('desk@example.com'));

    const names = mock.commandCalls(CreateTopicCommand).map(({ args: [{ input }] }) => input.Name);
    expect(new Set(names).size).toBe(lists.length);
    for (const name of names) expect(name).toMatch(/^floorwatch-test-[0-9a-f]{32}$/);
  });

  it('leaves an unconfirmed subscription to lapse', async () => {
    const { mock, topics } = aMockedTopic();
    mock.on(ListSubscriptionsByTopicCommand).resolves({
      Subscriptions: [aListed('gone@example.com', 'PendingConfirmation')],
    });

    const { strangersMayConfirm } = await topics.keepSubscribers(list, emails('desk@example.com'));

    expect(strangersMayConfirm).toBe(true);
    expect(mock.commandCalls(UnsubscribeCommand)).toEqual([]);
  });

  it.each([
    { arn: 'PendingConfirmation', authenticated: undefined, state: 'pending' },
    { arn: 'arn:aws:sns:eu-west-1:1:a:b', authenticated: 'true', state: 'confirmed' },
    { arn: 'arn:aws:sns:eu-west-1:1:a:b', authenticated: 'false', state: 'confirmed-unprotected' },
  ])('reports how a subscription stands: $state', async ({ arn, authenticated, state }) => {
    const { mock, topics } = aMockedTopic();
    mock.on(ListSubscriptionsByTopicCommand).resolves({
      Subscriptions: [aListed('desk@example.com', arn)],
    });
    mock.on(GetSubscriptionAttributesCommand).resolves({
      Attributes: { ...(authenticated && { ConfirmationWasAuthenticated: authenticated }) },
    });

    const { states } = await topics.keepSubscribers(list, emails('desk@example.com'));

    expect([...states.values()]).toEqual([state]);
    expect(mock.commandCalls(SubscribeCommand)).toEqual([]);
  });

  it('lets only us end a subscription that is confirmed by us', async () => {
    const { mock, topics } = aMockedTopic();

    await topics.confirm(list, 'token');

    expect(mock.commandCalls(ConfirmSubscriptionCommand)[0]?.args[0].input).toEqual({
      TopicArn: topics.topicOf(list),
      Token: 'token',
      AuthenticateOnUnsubscribe: 'true',
    });
  });

  it.each([
    InvalidParameterException,
    SubscriptionLimitExceededException,
    FilterPolicyLimitExceededException,
  ])('has the subscribers that SNS accepts, and goes on where it says %o', async (Refusal) => {
    const { mock, topics } = aMockedTopic();
    const refusal = new Refusal({ $metadata: {}, message: 'not this one' });
    mock.on(SubscribeCommand).resolves({ SubscriptionArn: 'arn:aws:sns:eu-west-1:1:a:b' });
    mock.on(SubscribeCommand, { Protocol: 'sqs' }).rejects(refusal);

    const { states } = await topics.keepSubscribers(list, [
      aSubscription({ channel: 'queue', protocol: 'sqs', endpoint: 'arn:aws:sqs:x:1:q' }),
      aSubscription({ channel: 'desk' }),
    ]);

    expect([...states]).toEqual([['desk', 'confirmed']]);
  });

  it('has asked the missing subscriber, and waits', async () => {
    const { mock, topics } = aMockedTopic();
    mock.on(SubscribeCommand).resolves({ SubscriptionArn: 'pending confirmation' });

    const { states } = await topics.keepSubscribers(list, emails('desk@example.com'));

    expect([...states.values()]).toEqual(['pending']);
  });
});

describe('the subject of an alert', () => {
  const nasty: readonly (readonly [string, string | null])[] = [
    ['a plain name', 'CryptoPunks'],
    ['a shortened contract', null],
    ['a name of notifications that ASCII lacks', 'Pünks – ナイキ'],
    ['a name with nothing of ASCII', '日本語'],
    ['pictures', '🧟‍♂️ Zombies 🧟'],
    ['line breaks', 'Punks\r\nBcc: everyone@example.com'],
    ['control characters', 'Punks\u0000\u0007\u001b[31m\u007f\u0085'],
    ['invisible directions', '\u202esknuP\u200b\ufeff'],
    ['half a character', '\ud83d Punks'],
    ['a long name', 'P'.repeat(300)],
    ['a name that grows when it is reported in ASCII', '㈱…½'.repeat(60)],
    ['a blank before it', '  \u3000 Punks'],
    ['nothing', ''],
  ];

  it.each(nasty)('is a line of at most 100 ASCII characters with %s', async (_, name) => {
    const subject = await subjectOf(name);

    expect(subject).toMatch(/^[\x21-\x7e][\x20-\x7e]{0,99}$/);
  });

  it('says what ASCII can say of a name, and what happened', async () => {
    expect(await subjectOf('Pünks')).toBe('Punks below 60 ETH: 59.9 ETH ($181k, -2.2 %)');
  });
});

/** What SNS wraps around a message for a queue. */
type Envelope = {
  readonly Message: string;
  readonly MessageAttributes: Readonly<Record<string, unknown>>;
};

function aNotification(given: Parameters<typeof anAlert>[0] = {}): Notification {
  return { kind: 'alert', alert: anAlert(given) };
}

function aSubscription(given: Partial<Subscriber>): Subscriber {
  const usual = { protocol: 'email', endpoint: 'desk@example.com', ask: 'now' } as const;
  return { channel: 'desk', ...usual, ...given };
}

/** Channels of these addresses, each its own. */
function emails(...addresses: readonly string[]): readonly Subscriber[] {
  return addresses.map((endpoint) =>
    aSubscription({ channel: endpoint.replace('@example.com', ''), endpoint }),
  );
}

function aListed(Endpoint: string, SubscriptionArn: string) {
  return { Protocol: 'email', Endpoint, SubscriptionArn };
}

/** A queue, and the bodies that it holds. */
function aQueue(server: FauxqsServer, name: string) {
  server.createQueue(name);
  return {
    arn: `arn:aws:sqs:us-east-1:000000000000:${name}`,
    bodies: () => (server.inspectQueue(name)?.messages.ready ?? []).map(({ body }) => body),
  };
}

function anSnsClient(endpoint: string): SNSClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new SNSClient({ endpoint, credentials, region: 'us-east-1' });
}

function aMockedTopic() {
  const client = anSnsClient('http://127.0.0.1:1');
  const mock = mockClient(client);
  mock.resolves({});
  return { mock, topics: createAlertTopics(client, settings) };
}

async function subjectOf(name: string | null): Promise<string | undefined> {
  const { mock, topics } = aMockedTopic();
  await topics.publishToStack(aNotification(anAlertInWords({ name })));
  return mock.commandCalls(PublishCommand)[0]?.args[0].input.Subject;
}

import {
  ConfirmSubscriptionCommand,
  CreateTopicCommand,
  DeleteTopicCommand,
  GetSubscriptionAttributesCommand,
  GetTopicAttributesCommand,
  InvalidParameterException,
  ListSubscriptionsByTopicCommand,
  ListTopicsCommand,
  PublishCommand,
  SetSubscriptionAttributesCommand,
  SetTopicAttributesCommand,
  SNSClient,
  SubscribeCommand,
  SubscriptionLimitExceededException,
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
const DESK = { protocol: 'email', endpoint: 'desk@example.com' } as const;
const UNDELIVERED = 'arn:aws:sqs:us-east-1:000000000000:undelivered';
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

  /** Topics of a separate stage. */
  const aStage = (name: string) => {
    const { topicArn } = server.createTopic(`${name}-alerts`);
    return {
      topicArn,
      prefix: `${name}-`,
      topics: createAlertTopics(client, { stackTopicArn: topicArn, prefix: `${name}-` }),
    };
  };

  /** Subscribes a queue to a topic; returns a function that reads its messages. */
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
    const pages = (await topicsOf(stage)).map((TopicArn) =>
      client.send(new ListSubscriptionsByTopicCommand({ TopicArn })),
    );
    return (await Promise.all(pages)).flatMap(({ Subscriptions = [] }) => Subscriptions);
  };
  const subscribersOf = async (stage: ReturnType<typeof aStage>) =>
    (await subscriptionsOf(stage)).map(({ Endpoint }) => Endpoint).toSorted();

  it('publishes an alert in a separate format for each protocol', async () => {
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

  it('publishes several alerts as one text, and as complete data for programs', async () => {
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

  it('publishes message attributes for filter policies of subscribers', async () => {
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

  it('creates the topics of a list with TLS only and encryption, and writes these settings once', async () => {
    const stage = aStage('protected');
    const one = [aSubscription({ protocol: 'sqs', endpoint: aQueue(server, 'p').arn })];
    await stage.topics.keepSubscribers(list, one, UNDELIVERED);
    const [TopicArn] = await topicsOf(stage);

    const { Attributes } = await client.send(new GetTopicAttributesCommand({ TopicArn }));
    const sent = vi.spyOn(client, 'send');
    await stage.topics.keepSubscribers(list, one, UNDELIVERED);

    expect(Attributes).toMatchObject({ KmsMasterKeyId: 'alias/aws/sns' });
    expect(JSON.parse(Attributes?.Policy ?? '').Statement).toEqual([
      expect.objectContaining({
        ...{ Effect: 'Deny', Principal: '*', Action: 'sns:Publish', Resource: TopicArn },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    ]);
    const changes = [SetTopicAttributesCommand, SetSubscriptionAttributesCommand];
    expect(
      sent.mock.calls.filter(([call]) => changes.some((change) => call instanceof change)),
    ).toEqual([]);
  });

  it('publishes to the queue of one channel only the messages of that channel, as JSON', async () => {
    const stage = aStage('own');
    const onStack = aSubscriber(stage.topicArn);
    const mine = aQueue(server, 'own-mine');
    const other = aQueue(server, 'own-other');
    const toMine = aSubscription({ channel: 'mine', protocol: 'sqs', endpoint: mine.arn });
    const toOther = aSubscription({ channel: 'other', protocol: 'sqs', endpoint: other.arn });
    await stage.topics.keepSubscribers(list, [toMine, toOther], UNDELIVERED);

    await stage.topics.publishToChannel(list, toMine, aNotification());

    const forms = JSON.parse(mine.bodies()[0] ?? '') as { sqs: string };
    expect(JSON.parse(forms.sqs)).toMatchObject(anAlert());
    expect([mine.bodies().length, other.bodies().length]).toEqual([1, 0]);
    expect(onStack()).toEqual([]);
  });

  it('names the channel in a message attribute, which identifies undelivered messages', async () => {
    const stage = aStage('named');
    const queue = aQueue(server, 'named');
    const desk = aSubscription({ protocol: 'sqs', endpoint: queue.arn });
    await stage.topics.keepSubscribers(list, [desk], UNDELIVERED);

    await stage.topics.publishToChannel(list, desk, digestOf('d1', [anAlert()]));

    expect(queue.attributes()).toEqual([
      expect.objectContaining({
        destination: { DataType: 'String', StringValue: 'acme#punks#desk' },
      }),
    ]);
  });

  it('reports that an endpoint has no topic', async () => {
    const { topics } = aStage('none');

    expect(await topics.hasTopic(list, DESK)).toBe(false);
    expect(await topics.publishToChannel(list, aSubscription({}), aNotification())).toBe(
      'no_topic',
    );
  });

  it('creates a topic for each endpoint of a list, with the name prefix of the stage', async () => {
    const stage = aStage('made');
    const two = emails('desk@example.com', 'night@example.com');

    await stage.topics.keepSubscribers(list, two, UNDELIVERED);

    const arn = expect.stringMatching(
      /^arn:aws:sns:us-east-1:000000000000:made-[0-9a-f]{32}-[0-9a-f]{32}$/,
    );
    expect(await topicsOf(stage)).toEqual([arn, arn]);
    expect(await stage.topics.hasTopic(list, DESK)).toBe(true);
    expect(await subscribersOf(stage)).toEqual(['desk@example.com', 'night@example.com']);
  });

  it('deletes the topics and subscriptions of removed endpoints, also if the deletion is repeated', async () => {
    const stage = aStage('removed');
    await stage.topics.keepSubscribers(
      list,
      emails('desk@example.com', 'night@example.com'),
      UNDELIVERED,
    );

    const confirmed = await stage.topics.removeTopics(list, [DESK]);
    const again = await stage.topics.removeTopics(list, [DESK]);

    expect([confirmed, again]).toEqual([['desk@example.com'], []]);
    expect(await subscribersOf(stage)).toEqual(['night@example.com']);
    expect(await stage.topics.publishToChannel(list, aSubscription({}), aNotification())).toBe(
      'no_topic',
    );
  });

  it('keeps the same subscriptions if the subscribers have not changed', async () => {
    const stage = aStage('again');
    const two = emails('a@example.com', 'b@example.com');
    await stage.topics.keepSubscribers(list, two, UNDELIVERED);
    const before = await subscriptionsOf(stage);

    await stage.topics.keepSubscribers(list, two, UNDELIVERED);

    expect(await subscriptionsOf(stage)).toEqual(before);
  });

  it('delivers the first message to a renamed channel, and to two channels with the same address', async () => {
    const stage = aStage('renamed');
    const queue = aQueue(server, 'renamed');
    const desk = aSubscription({ protocol: 'sqs', endpoint: queue.arn });
    const office = { ...desk, channel: 'office' };
    await stage.topics.keepSubscribers(list, [desk], UNDELIVERED);
    const before = await subscriptionsOf(stage);

    await stage.topics.keepSubscribers(list, [office, { ...desk, channel: 'night' }], UNDELIVERED);
    await stage.topics.publishToChannel(list, office, aNotification());

    expect(await subscriptionsOf(stage)).toEqual(before);
    expect(queue.bodies().length).toBe(1);
    // SNS applies a filter policy up to 15 minutes after it is set; no emulator simulates that
    // delay.
    for (const { SubscriptionArn } of before) {
      const { Attributes } = await client.send(
        new GetSubscriptionAttributesCommand({ SubscriptionArn }),
      );
      expect(Attributes).not.toHaveProperty('FilterPolicy');
    }
  });

  it('configures the dead-letter queue for messages that SNS cannot deliver', async () => {
    const stage = aStage('redriven');
    const desk = aSubscription({ protocol: 'sqs', endpoint: aQueue(server, 'redriven').arn });
    const redriveOf = async () => {
      const [{ SubscriptionArn } = {}] = await subscriptionsOf(stage);
      const { Attributes } = await client.send(
        new GetSubscriptionAttributesCommand({ SubscriptionArn }),
      );
      return JSON.parse(Attributes?.RedrivePolicy ?? '{}');
    };
    await stage.topics.keepSubscribers(list, [desk], 'arn:aws:sqs:us-east-1:000000000000:former');
    const former = await redriveOf();

    await stage.topics.keepSubscribers(list, [desk], UNDELIVERED);

    expect(former.deadLetterTargetArn).toMatch(/:former$/);
    expect(await redriveOf()).toEqual({ deadLetterTargetArn: UNDELIVERED });
  });

  it('postpones the subscription of an address that another list has just subscribed', async () => {
    const stage = aStage('later');
    const later = aSubscription({ ask: 'later' });

    const states = await stage.topics.keepSubscribers(list, [later], UNDELIVERED);

    expect([states, await subscribersOf(stage)]).toEqual([new Map(), []]);
  });

  it('does not resubscribe an address that has unsubscribed', async () => {
    const stage = aStage('left');
    const night = aSubscription({ channel: 'night', endpoint: 'night@example.com' });
    const desk = aSubscription({ channel: 'desk', ask: 'never' });

    const states = await stage.topics.keepSubscribers(list, [night, desk], UNDELIVERED);

    expect(states.get('desk')).toBe('gone');
    expect(await subscribersOf(stage)).toEqual(['night@example.com']);
  });

  it('confirms a subscription only with its token, and only for its own list and endpoint', async () => {
    const stage = aStage('confirmed');
    await stage.topics.keepSubscribers(list, emails('desk@example.com'), UNDELIVERED);
    const [{ SubscriptionArn: token = '' } = {}] = await subscriptionsOf(stage);
    const other = { tenant: 'acme', id: 'apes' };
    const night = { ...DESK, endpoint: 'night@example.com' };
    await stage.topics.keepSubscribers(other, emails('desk@example.com'), UNDELIVERED);
    const { confirm } = stage.topics;

    expect(await confirm(other, DESK, token)).toBeUndefined();
    expect(await confirm(list, night, token)).toBeUndefined();
    expect(await confirm(list, DESK, 'worn out')).toBeUndefined();
    expect(await confirm({ tenant: 'acme', id: 'none' }, DESK, token)).toBeUndefined();
    expect(await confirm(list, DESK, token)).toEqual({ state: 'confirmed' });
  });
});

describe('the topic of an endpoint', () => {
  it('names a topic differently for every tenant, list and endpoint', async () => {
    const { mock, topics } = aMockedTopic();
    const lists = [
      { tenant: 'acme', id: 'punks' },
      { tenant: 'beta', id: 'punks' },
      { tenant: 'acme', id: 'apes' },
      { tenant: 'acme-punks', id: 'a' },
      { tenant: 'acme', id: 'punks-a' },
    ];

    for (const one of lists) {
      await topics.keepSubscribers(one, emails('desk@example.com', 'b@example.com'), UNDELIVERED);
    }

    const names = mock.commandCalls(CreateTopicCommand).map(({ args: [{ input }] }) => input.Name);
    expect(new Set(names).size).toBe(2 * lists.length);
    for (const name of names) expect(name).toMatch(/^floorwatch-test-[0-9a-f]{32}-[0-9a-f]{32}$/);
  });

  it('deletes a topic with a pending subscription, which a stranger could still confirm', async () => {
    const { mock, topics } = aMockedTopic();
    mock.on(ListSubscriptionsByTopicCommand).resolves({
      Subscriptions: [aListed('desk@example.com', 'PendingConfirmation')],
    });

    expect(await topics.removeTopics(list, [DESK])).toEqual([]);

    expect(mock.commandCalls(DeleteTopicCommand).length).toBe(1);
  });

  it('finds a subscription on a later page', async () => {
    const { mock, topics } = aMockedTopic();
    mock
      .on(ListSubscriptionsByTopicCommand)
      .resolves({ Subscriptions: [aListed('others@example.com', 'arn:x')], NextToken: 'more' })
      .on(ListSubscriptionsByTopicCommand, { NextToken: 'more' })
      .resolves({ Subscriptions: [aListed('desk@example.com', 'PendingConfirmation')] });

    const states = await topics.keepSubscribers(list, emails('desk@example.com'), UNDELIVERED);

    expect([...states.values()]).toEqual(['pending']);
  });

  it.each([
    { arn: 'PendingConfirmation', authenticated: undefined, state: 'pending' },
    { arn: 'arn:aws:sns:eu-west-1:1:a:b', authenticated: 'true', state: 'confirmed' },
    { arn: 'arn:aws:sns:eu-west-1:1:a:b', authenticated: 'false', state: 'confirmed-unprotected' },
  ])('reports the state of a subscription: $state', async ({ arn, authenticated, state }) => {
    const { mock, topics } = aMockedTopic();
    mock.on(ListSubscriptionsByTopicCommand).resolves({
      Subscriptions: [aListed('desk@example.com', arn)],
    });
    mock.on(GetSubscriptionAttributesCommand).resolves({
      Attributes: { ...(authenticated && { ConfirmationWasAuthenticated: authenticated }) },
    });

    const states = await topics.keepSubscribers(list, emails('desk@example.com'), UNDELIVERED);

    expect([...states.values()]).toEqual([state]);
    expect(mock.commandCalls(SubscribeCommand)).toEqual([]);
  });

  it('confirms a subscription so that only floorwatch can end it', async () => {
    const { mock, topics } = aMockedTopic();

    await topics.confirm(list, DESK, 'token');

    expect(mock.commandCalls(ConfirmSubscriptionCommand)[0]?.args[0].input).toEqual({
      TopicArn: topics.topicOf(list, DESK),
      Token: 'token',
      AuthenticateOnUnsubscribe: 'true',
    });
  });

  it.each([InvalidParameterException, SubscriptionLimitExceededException])(
    'keeps the other subscribers if SNS rejects one with %o',
    async (Refusal) => {
      const { mock, topics } = aMockedTopic();
      const refusal = new Refusal({ $metadata: {}, message: 'not this one' });
      mock.on(SubscribeCommand).resolves({ SubscriptionArn: 'arn:aws:sns:eu-west-1:1:a:b' });
      mock.on(SubscribeCommand, { Protocol: 'sqs' }).rejects(refusal);
      const queue = { channel: 'queue', protocol: 'sqs', endpoint: 'arn:aws:sqs:x:1:q' } as const;

      const states = await topics.keepSubscribers(
        list,
        [aSubscription(queue), aSubscription({ channel: 'desk' })],
        UNDELIVERED,
      );

      expect([...states]).toEqual([['desk', 'confirmed']]);
    },
  );

  it('subscribes a missing subscriber, and reports it as pending', async () => {
    const { mock, topics } = aMockedTopic();
    mock.on(SubscribeCommand).resolves({ SubscriptionArn: 'pending confirmation' });

    const states = await topics.keepSubscribers(list, emails('desk@example.com'), UNDELIVERED);

    expect([...states.values()]).toEqual(['pending']);
    // SNS rejects changes of a pending subscription, so the attributes are set at creation.
    expect(mock.commandCalls(SubscribeCommand)[0]?.args[0].input.Attributes).toEqual({
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: UNDELIVERED }),
    });
  });
});

describe('the subject of an alert by SNS', () => {
  const nasty: readonly (readonly [string, string | null])[] = [
    ['a plain name', 'CryptoPunks'],
    ['a shortened contract', null],
    ['a name with non-ASCII letters', 'Pünks – ナイキ'],
    ['a name without ASCII characters', '日本語'],
    ['emoji', '🧟‍♂️ Zombies 🧟'],
    ['line breaks', 'Punks\r\nBcc: everyone@example.com'],
    ['control characters', 'Punks\u0000\u0007\u001b[31m\u007f\u0085'],
    ['invisible direction marks', '\u202esknuP\u200b\ufeff'],
    ['half a character', '\ud83d Punks'],
    ['a long name', 'P'.repeat(300)],
    ['a name that becomes longer in ASCII', '㈱…½'.repeat(60)],
    ['leading blanks', '  \u3000 Punks'],
    ['an empty name', ''],
  ];

  it.each(nasty)(
    'writes a subject line of at most 100 ASCII characters for %s',
    async (_, name) => {
      const subject = await subjectOf(name);

      expect(subject).toMatch(/^[\x21-\x7e][\x20-\x7e]{0,99}$/);
    },
  );

  it('transliterates a name to ASCII in the subject, followed by the news', async () => {
    expect(await subjectOf('Pünks')).toBe('Punks below 60 ETH: 59.9 ETH ($181k, -2.2%)');
  });
});

/** The envelope of SNS around a message for a queue. */
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

/** One channel for each of these addresses. */
function emails(...addresses: readonly string[]): readonly Subscriber[] {
  return addresses.map((endpoint) =>
    aSubscription({ channel: endpoint.replace('@example.com', ''), endpoint }),
  );
}

function aListed(Endpoint: string, SubscriptionArn: string) {
  return { Protocol: 'email', Endpoint, SubscriptionArn };
}

/** A queue and its messages. */
function aQueue(server: FauxqsServer, name: string) {
  server.createQueue(name);
  return {
    arn: `arn:aws:sqs:us-east-1:000000000000:${name}`,
    bodies: () => (server.inspectQueue(name)?.messages.ready ?? []).map(({ body }) => body),
    attributes: () =>
      (server.inspectQueue(name)?.messages.ready ?? []).map((message) => message.messageAttributes),
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

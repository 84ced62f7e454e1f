import { CreateTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { buildApp } from 'fauxqs';
import { expect, it, onTestFinished } from 'vitest';
import { createListTopics } from '#infra/operate/account/list-topics.ts';

it('the topics of a stage are found among many other topics', async () => {
  const messaging = buildApp({ logger: false, defaultRegion: 'eu-west-1' });
  const endpoint = await messaging.listen({ host: '127.0.0.1', port: 0 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const sns = new SNSClient({ endpoint, region: 'eu-west-1', credentials });
  onTestFinished(async () => {
    sns.destroy();
    await messaging.close();
  });
  const names = Array.from({ length: 120 }, (_, number) => `floorwatch-prod-${number}`);
  for (const Name of [...names, 'floorwatch-prod2-0', 'alerts-of-floorwatch-prod-']) {
    await sns.send(new CreateTopicCommand({ Name }));
  }
  const topics = createListTopics(sns);

  const found = await topics.named('floorwatch-prod-');
  for (const arn of found) await topics.delete(arn);

  expect(found.map((arn) => arn.slice(arn.lastIndexOf(':') + 1)).toSorted()).toEqual(
    names.toSorted(),
  );
  expect(await topics.named('floorwatch-prod-')).toEqual([]);
  expect(await topics.named('floorwatch-prod2-')).toHaveLength(1);
});

import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { aStage, resourcesOf, synthesize, textOf } from '#test/infra/synthesized.ts';

const template = synthesize(aStage());
const QUEUE = 'Canary/Queue';

it("only the topics of the canary's list may send to the canary queue", () => {
  const { [QUEUE]: queue } = resourcesOf(template, 'AWS::SQS::Queue');
  const { [`${QUEUE}/Policy`]: policy } = resourcesOf(template, 'AWS::SQS::QueuePolicy');
  const allowed = policy?.Properties.PolicyDocument.Statement.filter(
    ({ Effect }: { Effect: string }) => Effect === 'Allow',
  );

  expect(queue?.Properties).toMatchObject({
    ...{ QueueName: 'canary-of-floorwatch-dev', MessageRetentionPeriod: 3 * 86_400 },
  });
  expect(allowed).toMatchObject([
    { Action: 'sqs:SendMessage', Principal: { Service: 'sns.amazonaws.com' } },
  ]);
  const hash = createHash('sha256').update('floorwatch canary').digest('hex').slice(0, 32);
  expect(textOf(template, allowed[0].Condition.ArnLike['aws:SourceArn'])).toMatch(
    new RegExp(`:sns:.*:floorwatch-dev-${hash}-\\*$`),
  );
});

it('the name of the canary queue does not begin like that of a dead-letter queue', () => {
  const { [QUEUE]: queue } = resourcesOf(template, 'AWS::SQS::Queue');

  expect(queue?.Properties.QueueName).not.toMatch(/^floorwatch-/);
});

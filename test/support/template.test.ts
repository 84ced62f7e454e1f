import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readStack } from './template.ts';

const origin = 'http://127.0.0.1:4100';
const sub = (name: string) => `\${${name}}`;

describe('readStack', () => {
  it('readStack resolves references to names, URLs and ARNs', () => {
    const variables = {
      URL: { Ref: 'Work' },
      ARN: { 'Fn::GetAtt': ['Work', 'Arn'] },
      NAME: { 'Fn::GetAtt': 'Work.QueueName' },
      TOPIC: { Ref: 'Alerts' },
      TABLE: { Ref: 'Table' },
      JOINED: { 'Fn::Join': ['-', ['a', { Ref: 'AWS::Region' }, { Ref: 'Table' }]] },
      SPLIT: { 'Fn::Select': [3, { 'Fn::Split': [':', { Ref: 'Alerts' }] }] },
      FILLED: { 'Fn::Sub': `${sub('AWS::Partition')}/${sub('Work.QueueName')}/${sub('Table')}` },
      LEFT_OUT: { Ref: 'AWS::NoValue' },
    };

    expect(variablesOf(variables)).toEqual({
      URL: `${origin}/000000000000/Work.fifo`,
      ARN: 'arn:aws:sqs:us-east-1:000000000000:Work.fifo',
      NAME: 'Work.fifo',
      TOPIC: 'arn:aws:sns:us-east-1:000000000000:alerts-of-us-east-1',
      TABLE: 'Table',
      JOINED: 'a-us-east-1-Table',
      SPLIT: 'us-east-1',
      FILLED: 'aws/Work.fifo/Table',
    });
  });

  it.each([
    { value: { Ref: 'Gone' }, issue: 'refers to Gone, which it does not contain' },
    {
      value: { 'Fn::GetAtt': ['Work', 'Colour'] },
      issue: 'Work.Colour, which this reader does not support',
    },
    {
      value: { 'Fn::ImportValue': 'x' },
      issue: 'Fn::ImportValue, which this reader does not support',
    },
    { value: { 'Fn::Sub': sub('Gone.Arn') }, issue: 'refers to Gone' },
  ])('readStack rejects the unknown reference $value', ({ value, issue }) => {
    expect(() => variablesOf({ VARIABLE: value })).toThrow(issue);
  });

  it('readStack rejects a resource that lacks a required property, and names the resource', () => {
    const template = { Resources: { Tick: { Type: 'AWS::Scheduler::Schedule' } } };
    const properties = z.object({ ScheduleExpression: z.string() });

    expect(() => readStack(template, origin).find('AWS::Scheduler::Schedule', properties)).toThrow(
      /Tick .* cannot be read/,
    );
  });
});

function variablesOf(variables: object): unknown {
  const stack = readStack(
    {
      Resources: {
        Work: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
        Table: { Type: 'AWS::DynamoDB::Table' },
        Alerts: {
          Type: 'AWS::SNS::Topic',
          Properties: { TopicName: { 'Fn::Join': ['', ['alerts-of-', { Ref: 'AWS::Region' }]] } },
        },
        Probe: { Type: 'AWS::Lambda::Function', Properties: variables },
      },
    },
    origin,
  );
  const [found] = stack.find('AWS::Lambda::Function', z.record(z.string(), z.unknown()));
  return found?.properties;
}

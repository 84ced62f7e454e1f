import { DeleteTopicCommand, paginateListTopics, type SNSClient } from '@aws-sdk/client-sns';

/** The topics that a stage creates at run time, one for each list with subscribers. */
export type ListTopics = {
  /** The ARNs of all topics whose names start with a prefix. */
  readonly named: (prefix: string) => Promise<readonly string[]>;
  /** Deletes a topic with its subscriptions; a missing topic is no error. */
  readonly delete: (arn: string) => Promise<void>;
};

export function createListTopics(client: SNSClient): ListTopics {
  return {
    named: async (prefix) => {
      const found: string[] = [];
      for await (const { Topics = [] } of paginateListTopics({ client }, {})) {
        const arns = Topics.flatMap(({ TopicArn }) => TopicArn ?? []);
        found.push(...arns.filter((arn) => arn.slice(arn.lastIndexOf(':') + 1).startsWith(prefix)));
      }
      return found;
    },

    delete: async (arn) => {
      await client.send(new DeleteTopicCommand({ TopicArn: arn }));
    },
  };
}

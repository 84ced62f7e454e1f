import { SNSClient } from '@aws-sdk/client-sns';
import {
  type AlertTopics,
  type AlertTopicsSettings,
  createAlertTopics,
} from '#shared/clients/alert-topics.ts';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';

/** A client that manages topics and subscriptions. */
export function snsTopics(settings: AlertTopicsSettings): AlertTopics {
  return createAlertTopics(new SNSClient(AWS_CLIENTS.topics), settings);
}

/** A client that publishes to topics, without retries. */
export function snsPublications(settings: AlertTopicsSettings): AlertTopics {
  return createAlertTopics(new SNSClient(AWS_CLIENTS.publications), settings);
}

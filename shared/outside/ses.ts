import {
  createEmailSender,
  EmailSenderEnvironment,
  type EmailSettings,
  type SendEmail,
} from '#shared/clients/email-sender.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { onLambda } from './on-lambda.ts';

/** Creates a sender of emails through SES. */
export function sesSender(settings: EmailSettings): SendEmail {
  return createEmailSender(readEnvironment(EmailSenderEnvironment, onLambda.variables), settings);
}

import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { recordBouncesFunction } from './function.ts';

export const handler = recordBouncesFunction({ ...onLambda, table: dynamoTable });

import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { noteBouncesFunction } from './function.ts';

export const handler = noteBouncesFunction({ ...onLambda, table: dynamoTable });

import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { manageKeysFunction } from './function.ts';

export const handler = manageKeysFunction({ ...onLambda, table: dynamoTable });

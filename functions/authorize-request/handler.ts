import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { authorizeRequestFunction } from './function.ts';

export const handler = authorizeRequestFunction({ ...onLambda, table: dynamoTable });

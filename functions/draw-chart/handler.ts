import { dynamoTable } from '#shared/outside/dynamo.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import { ssmSecrets } from '#shared/outside/ssm.ts';
import { drawChartFunction } from './function.ts';

export const handler = drawChartFunction({ ...onLambda, table: dynamoTable, secret: ssmSecrets() });

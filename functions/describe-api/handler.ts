import { onLambda } from '#shared/outside/on-lambda.ts';
import { describeApiFunction } from './function.ts';

export const handler = describeApiFunction(onLambda);

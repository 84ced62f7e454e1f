import { onLambda } from '#shared/outside/on-lambda.ts';
import { servePagesFunction } from './function.ts';

export const handler = servePagesFunction(onLambda);

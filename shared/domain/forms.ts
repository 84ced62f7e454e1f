import type * as z from 'zod';

/**
 * The JSON Schema of values that code checks, where a generator of schemas cannot read it. Each says
 * no more than the code takes. Only the OpenAPI document calls the functions that return forms, so
 * no bundle of a Lambda has them.
 */
export type Forms = readonly (readonly [z.core.$ZodType, z.core.JSONSchema.BaseSchema])[];

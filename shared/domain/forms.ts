import type * as z from 'zod';

/**
 * JSON Schemas of values that are validated by code, from which a generator cannot derive them. The
 * code accepts every value that matches its schema, and possibly more. Only the OpenAPI document
 * calls the functions that return forms, so no Lambda bundle contains them.
 */
export type Forms = readonly (readonly [z.core.$ZodType, z.core.JSONSchema.BaseSchema])[];

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import * as z from 'zod';

/** The OpenAPI document of OpenSea. */
const document = z
  .object({
    paths: z.record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          parameters: z
            .array(
              z.object({
                name: z.string(),
                in: z.enum(['path', 'query', 'header']),
                required: z.boolean().default(false),
                schema: z.looseObject({ $ref: z.string().optional() }),
              }),
            )
            .default([]),
          responses: z.record(z.string(), z.unknown()),
        }),
      ),
    ),
  })
  .loose()
  .parse(
    JSON.parse(
      readFileSync(
        createRequire(import.meta.url).resolve('@opensea/api-types/opensea-api.json'),
        'utf8',
      ),
    ),
  );

const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes: 'array' });
formats.default(ajv);
// The number formats of Java do not restrict a value beyond its type.
for (const format of ['int32', 'int64', 'double', 'float']) ajv.addFormat(format, true);
ajv.addSchema({ $id: 'opensea', ...document });

export type DocumentedPath = { readonly path: string; readonly values: readonly string[] };

/** The documented path that matches a request, with the values of its parameters. */
export function documentedPath(method: string, pathname: string): DocumentedPath | undefined {
  for (const [path, methods] of Object.entries(document.paths)) {
    if (methods[method.toLowerCase()] === undefined) continue;
    const form = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '([^/]+)')}$`);
    const [found, ...values] = form.exec(pathname) ?? [];
    if (found !== undefined) return { path, values: values.map(decodeURIComponent) };
  }
  return undefined;
}

/** The violations of the document in a request. */
export function requestIssues(
  method: string,
  { path, values }: DocumentedPath,
  query: URLSearchParams,
): readonly string[] {
  const { parameters = [] } = document.paths[path]?.[method.toLowerCase()] ?? {};
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  const unknown = [...query.keys()].filter(
    (name) => !parameters.some((known) => known.in === 'query' && known.name === name),
  );
  const wrong = parameters.flatMap(({ name, in: place, required, schema }) => {
    const value = place === 'path' ? values[names.indexOf(name)] : query.get(name);
    if (value === null || value === undefined) return required ? [`${name} is missing`] : [];
    const pointer = schema.$ref === undefined ? schema : { $ref: `opensea${schema.$ref}` };
    return ajv.validate(pointer, value) ? [] : [`${name}: ${ajv.errorsText()}`];
  });
  return [...unknown.map((name) => `${name} is no parameter`), ...wrong];
}

const Content = z.object({
  content: z.record(z.string(), z.object({ schema: z.object({ $ref: z.string() }) })).optional(),
});

/** The violations of the document in an answer. */
export function answerIssues(
  method: string,
  { path }: DocumentedPath,
  status: number,
  body: unknown,
): readonly string[] {
  const response = document.paths[path]?.[method.toLowerCase()]?.responses[status];
  const { content = {} } = Content.safeParse(response).data ?? {};
  const [described] = Object.values(content);
  if (described === undefined) return [];
  const validate = ajv.getSchema(`opensea${described.schema.$ref}`);
  if (validate === undefined) return [`there is no ${described.schema.$ref}`];
  return validate(structuredClone(body)) ? [] : [ajv.errorsText(validate.errors)];
}

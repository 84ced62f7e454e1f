import { ChangePath } from '#functions/serve-api/watchlists/requests.ts';
import { ApiKeyId } from '#shared/domain/access/api-key.ts';
import { defined } from '#shared/domain/defined.ts';
import { ContractAddress, ContractKey } from '#shared/domain/market/contract.ts';
import { Identifier } from '#shared/domain/words.ts';
import { actionOperations } from './actions.ts';
import { alertOperations } from './alerts.ts';
import { changeOperations } from './changes.ts';
import { channelOperations } from './channels.ts';
import { chartOperations } from './charts.ts';
import { components, referenceTo } from './components.ts';
import { contractOperations } from './contracts.ts';
import { interfaceOperations, pageOperations } from './interface.ts';
import { schemaOf } from './json-schema.ts';
import { keyOperations } from './keys.ts';
import { LIMITS_TABLE } from './limits-table.ts';
import { muteOperations } from './mutes.ts';
import { NFT_DATA_DECISIONS, nftDataOperations } from './nft-data.ts';
import { headerObjects, type Operation, type Parameter } from './operation.ts';
import { operationsOperations } from './operations.ts';
import { overviewOperations } from './overview.ts';
import { partOperations } from './parts.ts';
import { keyed, tagged } from './preconditions.ts';
import { problemAnswers } from './problems.ts';
import { pushOperations } from './push.ts';
import { limited } from './request-limits.ts';
import { usageOperations } from './usage.ts';
import { valueOperations } from './value.ts';
import { watchOperations } from './watches.ts';
import { watchlistOperations } from './watchlists.ts';

/** All operations of the API, by method and path. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...withHeaders({
    ...watchlistOperations,
    ...partOperations,
    ...watchOperations,
    ...overviewOperations,
    ...alertOperations,
    ...usageOperations,
    ...valueOperations,
    ...pushOperations,
    ...changeOperations,
    ...muteOperations,
    ...channelOperations,
    ...contractOperations,
    ...keyOperations,
    ...operationsOperations,
  }),
  ...nftDataOperations,
  ...actionOperations,
  ...chartOperations,
  ...interfaceOperations,
  ...pageOperations,
};

/** Adds the headers and problems that follow from methods and scopes. */
function withHeaders(operations: typeof OPERATIONS): typeof OPERATIONS {
  return Object.fromEntries(
    Object.entries(operations).map(([route, operation]) => {
      const { access } = operation;
      if (access === 'public') return [route, operation];
      if (route.startsWith('GET ')) return [route, limited(tagged(operation))];
      const isRepeatable = route.startsWith('POST ') && access === 'write';
      return [route, limited(isRepeatable ? keyed(operation) : operation)];
    }),
  );
}

/** The OpenAPI 3.1 document of the API, generated from the schemas that validate requests. */
export function openApiDocument() {
  return {
    openapi: '3.1.0',
    info: {
      title: 'floorwatch',
      version: '1',
      summary: 'Watches NFT contracts and alerts people when a price crosses a threshold',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '..', description: 'The server of this document' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: paths(),
    components: {
      schemas: components(),
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description:
            'The API key of a tenant. Each operation names the scope that it requires: `view` to read the data that a wall display shows, `read` to read everything, `write` to make changes, `admin` to create and revoke keys, `operate` to read the state of the stack. `read` implies `view`. `admin` implies all scopes except `operate`.',
        },
      },
    },
  };
}

const DESCRIPTION = `Watchlists of NFT contracts, rules on their prices, and the resulting alerts. The NFT data interface v2.2 reports tokens, floors and trades.

## First steps

1. Send your API key in the header \`X-API-Key\`; on the documentation page, press "Authorize". \`GET /v1/key\` returns the scopes of the key.
2. \`GET /v1/collections\` finds contracts by name. \`POST /v1/watchlists\` creates a list of contracts, rules and channels. The \`forecast\` in its response predicts what each rule will do at the next price.
3. \`POST /v1/watchlists/{watchlist}/channels/{channel}/test\` sends a test message. \`POST /v1/rules/preview\` returns the alerts that a rule would have sent in the past.
4. \`GET /v1/watches\` lists each rule on each contract with its state. \`GET /v1/alerts\` lists the alerts. \`GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}/explain\` explains why a rule does not fire.

## Conventions

- Requests and responses are JSON in UTF-8. Pages of alerts and episodes are also available as CSV. A leading byte order mark is ignored.
- Prices and thresholds are strings with exact decimals. Times are in ISO 8601; in responses they are in UTC.
- Errors are problem documents (RFC 9457) that name each wrong member and the expected value. A request that gets a 4xx response changes nothing.
- Unknown members in requests are rejected. Clients should ignore unknown members in responses.
- Each \`GET\` also works as \`HEAD\`. A method that the path does not support returns 405 with \`Allow\`. A request whose request line and headers exceed 10,240 bytes in total returns 431, without a problem document.

## Limits

${LIMITS_TABLE}`;

const TAGS: Readonly<Record<Operation['tag'], string>> = {
  Watchlists: 'Lists of NFT contracts, with the rules on them and the channels for alerts.',
  Watches: 'Each rule on each contract: its state, its value, and why it does not fire.',
  Alerts: 'The alerts, their deliveries, and their acknowledgements.',
  Actions: 'The actions that links in messages offer. The URLs are signed, so they need no key.',
  Charts: 'The charts in messages. Their URLs are signed, so they need no key.',
  Mutes: 'Periods in which alerts of a list are held back.',
  Changes: 'The audit log of the tenant.',
  Usage: 'The usage and the limits of the tenant.',
  Channels: 'The destinations of alerts, and their states.',
  Contracts: 'Watched contracts: the last reported prices, their health, and their history.',
  Rules: 'The metrics of rules, previews of a rule on past prices, and suggested thresholds.',
  Keys: 'The API keys of the tenant.',
  Operations: 'The state of the stack, for its operators.',
  Health: 'The health of the stack.',
  'NFT data': NFT_DATA_DECISIONS,
  Interface: 'This documentation, and the pages of the console.',
};

type Path = { readonly [method: string]: object };

function paths(): Readonly<Record<string, Path>> {
  const reported = Object.entries(OPERATIONS).map(([route, operation]) => {
    const [method = '', path = ''] = route.split(' ');
    return { path, method: method.toLowerCase(), operation };
  });
  return Object.fromEntries(
    [...Map.groupBy(reported, ({ path }) => path)].map(([path, methods]) => [
      path,
      Object.fromEntries(
        methods.map(({ method, operation }) => [method, operationObject(path, operation)]),
      ),
    ]),
  );
}

function operationObject(path: string, operation: Operation): object {
  const { id, tag, summary, description, body, access } = operation;
  const parameters = [...parametersIn(path), ...operation.parameters];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...defined({ description }),
    security: access === 'public' ? [] : [{ apiKey: [access] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: bodyObject(body) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.answers).map(([status, answer]) => [status, answerObject(answer)]),
      ),
      ...problemAnswers(operation),
    },
  };
}

function bodyObject({ type, schema, required, examples }: NonNullable<Operation['body']>): object {
  const shown = Object.entries(examples).map(([name, value]) => [name, { value }] as const);
  return {
    required,
    content: {
      [type]: { schema: referenceTo(schema), examples: Object.fromEntries(shown) },
    },
  };
}

function answerObject({
  description,
  headers = {},
  schema,
  example,
  csv,
  type = schema === undefined ? undefined : 'application/json',
}: Operation['answers'][number]): object {
  const content = {
    ...(schema === undefined ? {} : { schema: referenceTo(schema) }),
    ...defined({ example }),
  };
  return {
    description,
    headers: headerObjects(headers),
    ...(type === undefined ? {} : { content: { [type]: content, ...csvContent(csv) } }),
  };
}

function csvContent(example: string | undefined): object {
  return example === undefined ? {} : { 'text/csv': { schema: { type: 'string' }, example } };
}

/** The parameters of paths. */
const PATH_PARAMETERS: Readonly<
  Record<string, Pick<Parameter, 'description' | 'schema' | 'example'>>
> = {
  watchlist: identifier('The id of the list.', 'punks'),
  contract: {
    description:
      'The NFT contract: the name of its chain (with hyphens instead of spaces), a colon, and its address. If traits follow (`eth:0x…?Fur=Solid+Gold`), the whole value must be percent-encoded.',
    schema: schemaOf(ContractKey, 'input'),
    example: 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb',
  },
  rule: identifier('The id of the rule.', 'floor-60'),
  alert: {
    description: 'The time and the id of the alert, separated by a tilde, as in its `self`.',
    schema: { type: 'string', pattern: '^[^~]{1,40}~.{1,200}$' },
    example: '2026-11-21T12:01:00.000Z~0123456789abcdef0123.1.1',
  },
  action: {
    description: 'The signed token in the URL of the link.',
    schema: { type: 'string', pattern: '^[\\w-]+\\.[\\w-]+$' },
    example: 'WzE3OTYwNDAwMDAwMDAsImFjbWUiXQ.Zm9yZ2VkLWJ5LW5vYm9keQ',
  },
  subscription: {
    description: 'The signed token in the URL of the unsubscribe link.',
    schema: { type: 'string', pattern: '^[\\w-]+\\.[\\w-]+$' },
    example: 'WzE3OTYwNDAwMDAwMDAsImFjbWUiXQ.Zm9yZ2VkLWJ5LW5vYm9keQ',
  },
  chart: {
    description: 'The signed token in the URL of the chart, with `.png` at the end.',
    schema: { type: 'string', pattern: '^[\\w-]+\\.[\\w-]+(\\.png)?$' },
    example: 'WyJldGg6MHhiNDdlM2NkOCJd.Zm9yZ2VkLWJ5LW5vYm9keQ.png',
  },
  change: {
    description: 'The id of the change.',
    schema: schemaOf(ChangePath._zod.innerType.shape.change, 'input'),
    example: '2026-11-21T12:00:00.000Z~4j2k9x',
  },
  mute: identifier('The id of the mute.', 'mute-4j2k9x'),
  channel: identifier('The id of the channel.', 'desk'),
  key: {
    description: 'The id of the key. The id grants no access.',
    schema: schemaOf(ApiKeyId, 'input'),
    example: '1a2b3c4d5e',
  },
  address: {
    description: 'The address of the NFT contract, in upper or lower case.',
    schema: schemaOf(ContractAddress, 'input'),
    example: '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb',
  },
  file: {
    description: 'The name of the file.',
    schema: { type: 'string' },
    example: 'swagger-ui.css',
  },
};

function identifier(description: string, example: string) {
  return { description, schema: schemaOf(Identifier, 'input'), example };
}

function parametersIn(path: string): readonly Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const known = PATH_PARAMETERS[name];
    if (known === undefined) throw new Error(`no description of {${name}} in ${path}`);
    return { name, in: 'path', required: true, ...known };
  });
}

import {
  DeleteParameterCommand,
  GetParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  ParameterType,
  PutParameterCommand,
  paginateGetParametersByPath,
  type SSMClient,
} from '@aws-sdk/client-ssm';

/** Parameters of SSM; all parameters that setup writes are SecureStrings. */
export type SecureStrings = {
  readonly get: (name: string) => Promise<string | undefined>;
  /** The names of all parameters below a path such as `/floorwatch/dev`. */
  readonly below: (path: string) => Promise<readonly string[]>;
  /** Creates a parameter and returns true, or returns false if the parameter exists. */
  readonly make: (name: string, value: string) => Promise<boolean>;
  /** Creates or overwrites a parameter. */
  readonly put: (name: string, value: string) => Promise<void>;
  readonly delete: (name: string) => Promise<void>;
};

export function createSecureStrings(client: SSMClient): SecureStrings {
  const write = async (Name: string, Value: string, Overwrite: boolean) => {
    const Type = ParameterType.SECURE_STRING;
    await client.send(new PutParameterCommand({ Name, Value, Type, Overwrite }));
  };

  return {
    get: async (name) => {
      const command = new GetParameterCommand({ Name: name, WithDecryption: true });
      const { Parameter } = await client.send(command).catch(noneWhereUnknown);
      return Parameter?.Value;
    },

    below: async (path) => {
      const names: string[] = [];
      for await (const page of paginateGetParametersByPath({ client }, { Path: path })) {
        names.push(...(page.Parameters ?? []).flatMap(({ Name }) => Name ?? []));
      }
      return names;
    },

    make: async (name, value) => {
      try {
        await write(name, value, false);
        return true;
      } catch (error) {
        if (error instanceof ParameterAlreadyExists) return false;
        throw error;
      }
    },

    put: (name, value) => write(name, value, true),

    delete: async (name) => {
      await client.send(new DeleteParameterCommand({ Name: name })).catch(noneWhereUnknown);
    },
  };
}

function noneWhereUnknown(error: unknown): { readonly Parameter?: undefined } {
  if (error instanceof ParameterNotFound) return {};
  throw error;
}

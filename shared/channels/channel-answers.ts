import * as z from 'zod';
import { Identifier } from '#shared/domain/words.ts';
import { type Component, output, register } from '#shared/http/described.ts';
import { type ChannelBody, eachKind } from './channel-body.ts';
import { KINDS } from './kinds.ts';

/** The description of the member `kind` in requests and responses. */
export const KIND_OF_CHANNEL = 'The kind of channel.';

/** The members that a channel of any kind has in responses. */
export const channelMembers = { id: 'The id of the channel.', kind: KIND_OF_CHANNEL } as const;

const ChannelAnswer = eachKind({ id: Identifier });

export const ListChannelAnswer = z.union([Identifier, ChannelAnswer]);

/** Registers the schema of each kind of channel for the OpenAPI document. */
export function nameEachKind(
  { options }: Pick<(typeof ChannelBody)['_zod']['innerType'] | typeof ChannelAnswer, 'options'>,
  side: Component['side'],
  suffix: string,
  common: Readonly<Record<string, string>>,
  more?: string,
): void {
  for (const schema of options) {
    const { name: begin, words } = KINDS[schema.shape.kind.value];
    const { is, also = '', members } = words;
    register({
      ...{ name: `${begin}Channel${suffix}`, schema, side },
      description: `${is}${more ?? also}.`,
      members: { ...common, ...members },
    });
  }
}

output('Channel', ChannelAnswer, 'A destination of alerts; secrets are shown as `kept:…`.');
nameEachKind(ChannelAnswer, 'output', '', channelMembers);
output(
  'ListChannel',
  ListChannelAnswer,
  'A channel of a list: the id of a contact point of the tenant, or a channel of this list only.',
);

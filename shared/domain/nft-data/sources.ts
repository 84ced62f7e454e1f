import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';

const Source = z.enum(['upstream', 'archive', 'upstream-then-archive']);

/** The source of answers for each operation of the interface. */
export const NftDataSources = z.strictObject({ traits: Source, floor: Source, lowest: Source });
export type NftDataSources = z.output<typeof NftDataSources>;

/** The sources as an environment variable in JSON. */
export const NftDataSourcesVariable = JsonText.pipe(NftDataSources);

import * as z from 'zod';
import { option, text } from '#infra/command-line/options.ts';
import { SETTINGS_FOLDER } from '#infra/stack/settings.ts';
import { StageName } from '#infra/stack/stages.ts';

/** The options of a verb for deployed stages only. */
export const stageTarget = {
  stage: option('name', 'the stage', StageName),
  settings: option(
    'folder',
    "the folder of the stages' settings",
    z.string().default(SETTINGS_FOLDER),
  ),
};

/** The options that select a stack. */
export const target = {
  url: option(
    'url',
    "the stack's API URL, as npm start or setup printed it (default: the local stack that runs in this checkout)",
    z.url('expected the URL that npm start or setup printed').optional(),
  ),
  stage: option(
    'name',
    'a deployed stage; uses the AWS credentials of the environment, and the region in the settings or else in the environment',
    StageName.optional(),
  ),
  settings: stageTarget.settings,
};

/** The options that select the table of a stack. */
export const tableTarget = {
  ...target,
  table: option('name', 'the table to use, if the stage has several', text),
};

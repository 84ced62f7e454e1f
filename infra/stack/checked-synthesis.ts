import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import * as z from 'zod';

/**
 * Synthesizes the app and fails on each finding of CDK or of the cdk-nag packs, including warnings.
 * A finding is acknowledged, with a reason, in the code of its construct.
 * `test/contract/infra/acknowledged-findings.txt` lists all acknowledged findings.
 */
export function synthesizeChecked(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  const { directory } = app.synth();
  const report = readFileSync(join(directory, 'validation-report.json'), 'utf8');
  // CDK itself throws only on errors. If the CDK command runs the app, CDK does not throw even on
  // errors.
  const findings = Report.parse(JSON.parse(report)).pluginReports.flatMap(
    ({ pluginName, violations }) =>
      violations.map(({ ruleName, description, violatingConstructs }) => {
        const paths = violatingConstructs.map(({ constructPath }) => constructPath).join(', ');
        return `${paths}: ${description} (${pluginName}, ${ruleName})`;
      }),
  );
  if (findings.length > 0) throw new OpenFindingsError(findings);
}

class OpenFindingsError extends Error {
  readonly code = 'open_findings';

  constructor(findings: readonly string[]) {
    super(`the validation found these problems; fix or acknowledge each:\n${findings.join('\n')}`);
    this.name = 'OpenFindingsError';
  }
}

const Report = z.object({
  pluginReports: z.array(
    z.object({
      pluginName: z.string(),
      violations: z.array(
        z.object({
          ruleName: z.string(),
          description: z.string(),
          violatingConstructs: z.array(z.object({ constructPath: z.string() })),
        }),
      ),
    }),
  ),
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import * as z from 'zod';

/**
 * Synthesizes what keeps the rules of CDK and of these packs, and fails where one is not kept, even
 * one that only warns. What is acknowledged stands, with its reason, beside the construct that is
 * meant; `test/contract/infra/acknowledged-findings.txt` lists it.
 */
export function synthesizeChecked(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  const { directory } = app.synth();
  const report = readFileSync(join(directory, 'validation-report.json'), 'utf8');
  // CDK throws only errors, and under the CDK command not even those.
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
    super(`mend or acknowledge what the validation has found:\n${findings.join('\n')}`);
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

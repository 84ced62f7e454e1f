import type { ComponentChildren } from 'preact';
import { useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { Ago } from '#console/words/ago.tsx';
import { count, whole } from '#console/words/amounts.ts';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { moment } from '#console/words/times.ts';
import { Meter } from './meter.tsx';

type Operations = Answer<'GET /v1/operations'>;
type Provider = Operations['providers'][number];

/** The state of the stack, for its operators. */
export function StackReport() {
  const { answer, problem } = useFollowed('GET /v1/operations');
  if (answer === undefined) return problem ? <ProblemNotice problem={problem} /> : <Loading />;
  const { tick, cadence, queues, overdueSince, tenants, providers } = answer;
  return (
    <>
      <section class="panel stack" aria-label="Stack">
        <div class="row spread">
          <h2>Stack</h2>
          <span class={`state ${tick.isLate ? 'failed' : 'ok'}`}>
            {tick.isLate ? 'Ticks are late' : 'Ticks are on time'}
          </span>
        </div>
        <dl class="stack">
          <Fact name="Last tick">
            {tick.at === null ? 'none yet' : <Ago at={tick.at} />}
            {tick.missed > 0 && `, ${count(tick.missed, 'tick')} missed in the last day`}
          </Fact>
          {tick.fallback !== null && (
            <Fact name="Fallback provider">
              {tick.fallback}, in use because the first provider is unavailable
            </Fact>
          )}
          <Fact name="Polls">
            every {cadence.configuredMinutes} min
            {cadence.longestMinutes > cadence.configuredMinutes &&
              `, for some tenants every ${cadence.longestMinutes} min`}
            {cadence.contractsThatFit !== null &&
              `; the rate limit and the budgets allow ${count(cadence.contractsThatFit, 'collection')} every ${cadence.configuredMinutes} min`}
          </Fact>
          <Fact name="Overdue work">
            {overdueSince === null ? (
              'none'
            ) : (
              <>
                oldest due <Ago at={overdueSince} />
              </>
            )}
          </Fact>
        </dl>
        <Queues queues={queues} />
      </section>
      <ul class="cards" aria-label="Providers">
        {providers.map((provider) => (
          <ProviderCard key={provider.provider} provider={provider} />
        ))}
      </ul>
      <CostThisMonth providers={providers} />
      <Tenants tenants={tenants} />
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Queues({ queues }: Pick<Operations, 'queues'>) {
  return (
    <table class="difference figures-table">
      <thead>
        <tr>
          <th scope="col">Queue</th>
          <th scope="col">Waiting</th>
          <th scope="col">In flight</th>
          <th scope="col">Dead letters</th>
        </tr>
      </thead>
      <tbody>
        {queues.map(({ queue, waiting, underWay, deadLetters }) => (
          <tr key={queue}>
            <th scope="row">{queue}</th>
            <td>{whole(waiting)}</td>
            <td>{whole(underWay)}</td>
            <td class={deadLetters > 0 ? 'trouble' : undefined}>{whole(deadLetters)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const STATUSES: Readonly<
  Record<Provider['status'], { readonly word: string; readonly look: string }>
> = {
  asked: { word: 'Available', look: 'ok' },
  slowed: { word: 'Slowed down', look: 'warning' },
  partly_denied: { word: 'Some access denied', look: 'warning' },
  denied: { word: 'Access denied', look: 'failed' },
  blocked: { word: 'Throttled', look: 'warning' },
  out_of_budget: { word: 'Budget used up', look: 'failed' },
};

const SPANS = { hour: 'This hour', day: 'Today' } as const;

function ProviderCard({ provider: known }: { readonly provider: Provider }) {
  const { provider, status, budgets, denials, blockedUntil, keyEndsAt } = known;
  const { word, look } = STATUSES[status];
  return (
    <li class="panel stack">
      <div class="row spread">
        <h3>{provider}</h3>
        <span class={`state ${look}`}>{word}</span>
      </div>
      {keyEndsAt !== null && (
        <p class="small">The key for this provider expires on {moment(keyEndsAt)}.</p>
      )}
      {blockedUntil !== null && (
        <p class="small">Requests to this provider are paused until {moment(blockedUntil)}.</p>
      )}
      {denials.map(({ user, what, reason, since }) => (
        <p key={`${user} ${what}`} class="small">
          The provider denies access to {what} for {user === 'polling' ? 'polls' : 'API requests'} (
          {reason}). First denied <Ago at={since} />.
        </p>
      ))}
      <ul class="meters">
        {budgets.flatMap((budget) =>
          budget.span === 'month'
            ? []
            : [<BudgetMeter key={budget.span} name={SPANS[budget.span]} budget={budget} />],
        )}
      </ul>
    </li>
  );
}

type BudgetMeterProps = {
  readonly name: string;
  readonly budget: Provider['budgets'][number];
};

function BudgetMeter({ name, budget: { limit, used, leftForPolls, runsOutAt } }: BudgetMeterProps) {
  return (
    <Meter name={`${name}, units`} used={used} limit={limit}>
      <span class="quiet small">
        {runsOutAt === null
          ? `${whole(leftForPolls)} left for polls`
          : `at this rate, polls will use up their units by ${moment(runsOutAt)}`}
      </span>
    </Meter>
  );
}

/**
 * Shows how many units of each provider's plan were used this month. The stack counts only units,
 * because the costs are on the bills of the providers and of AWS.
 */
function CostThisMonth({ providers }: Pick<Operations, 'providers'>) {
  return (
    <section class="panel stack" aria-label="Cost this month">
      <h2>Cost this month</h2>
      <ul class="meters">
        {providers.flatMap(({ provider, budgets }) =>
          budgets
            .filter(({ span }) => span === 'month')
            .map((budget) => <BudgetMeter key={provider} name={provider} budget={budget} />),
        )}
      </ul>
      <p class="quiet small">
        Each provider bills you for your plan, and floorwatch never uses more units than the budget.
        For the AWS bill, open the{' '}
        <a href="https://console.aws.amazon.com/costmanagement/home" rel="noreferrer">
          billing console
        </a>
        . <code>npm run costs</code> estimates the monthly cost of a stack.
      </p>
    </section>
  );
}

function Tenants({ tenants }: Pick<Operations, 'tenants'>) {
  return (
    <section class="panel stack" aria-label="Tenants">
      <h2>Polls by tenant</h2>
      {tenants.length === 0 && <p class="quiet">No polls yet.</p>}
      {tenants.length > 0 && (
        <table class="difference figures-table">
          <thead>
            <tr>
              <th scope="col">Tenant</th>
              <th scope="col">Collections</th>
              <th scope="col">Interval</th>
              <th scope="col">Units today</th>
              <th scope="col">Units this month</th>
            </tr>
          </thead>
          <tbody>
            {tenants.map(({ tenant, contracts, cadenceMinutes, unitsInDay, unitsInMonth }) => (
              <tr key={tenant}>
                <th scope="row">{tenant}</th>
                <td>{whole(contracts)}</td>
                <td>{cadenceMinutes} min</td>
                <td>{whole(unitsInDay)}</td>
                <td>{whole(unitsInMonth)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="quiet small">Only units of the first provider are counted.</p>
    </section>
  );
}

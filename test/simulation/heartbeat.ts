import { type FunctionName, SCHEDULED, TIMEOUTS } from '#infra/local/world-functions.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Faults } from '#test/simulation/services/faults.ts';
import type { Stream } from '#test/simulation/services/streams.ts';
import type { Timeline } from '#test/simulation/services/timeline.ts';
import type { Calendar } from './calendar.ts';
import type { EventLog } from './event-log.ts';
import type { Runner } from './runner.ts';

type HeartbeatWorld = {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly schedule: Stream;
  readonly runner: Pick<Runner, 'run'>;
  readonly met: EventLog['met'];
  readonly worksAt: Calendar;
};

/** Invokes the scheduled functions each minute. Ticks may be missed, late or doubled. */
export function startHeartbeat(
  { timeline, faults, schedule, runner, met, worksAt }: HeartbeatWorld,
  start: Instant,
  minutes: number,
): void {
  const invoke = (name: FunctionName) => () => {
    runner.run(
      name,
      TIMEOUTS[name],
      (instance, by) => instance.invoke(by, name, {}, () => {}),
      () => {},
    );
    return true;
  };

  const tick = (name: FunctionName) => () => {
    if (faults.strikes('tickMissed')) {
      met('missed tick');
      return true;
    }
    const late = faults.strikes('tickLate') ? schedule.between(1, 60) * SECOND : 0;
    const times = faults.strikes('tickDoubled') ? 2 : 1;
    for (let time = 0; time < times; time += 1) {
      timeline.at(timeline.now() + late + time * schedule.between(0, 3000), invoke(name));
    }
    return true;
  };

  for (let minute = 1; minute <= minutes; minute += 1) {
    for (const name of SCHEDULED) timeline.at(worksAt(start + minute * MINUTE), tick(name));
  }
}

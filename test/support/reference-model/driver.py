"""Runs the reference model of the evaluation over market histories: JSON from stdin, JSON to stdout.

usage: driver.py LAW   (LAW: path of the reference model, which stays outside of this repository)
"""
import importlib.util
import json
import sys
from decimal import Decimal, ROUND_DOWN

spec = importlib.util.spec_from_file_location("law", sys.argv[1])
law = importlib.util.module_from_spec(spec)
sys.modules["law"] = law
spec.loader.exec_module(law)

REASONS = {"no_sale", "no_price", "other_currency", "disputed"}


def value(text):
    return text if text in REASONS else Decimal(text)


def floor(told):
    usd = told.get("usd")
    return law.Point(told["time"], value(told["value"]), None, None if usd is None else Decimal(usd), told["agreed"])


def sale(told):
    return law.Point(told["time"], value(told["value"]), told.get("traded"))


def scaled(number):
    """An integer in units of 10^-18, truncated toward zero."""
    return None if number is None else str(int((number * 10**18).to_integral_value(ROUND_DOWN)))


own_timer = law.Watch.timer
# By CORE.md, the timer of a new watch is its creation time; in law.py it has no timer.
law.Watch.timer = lambda watch: watch.made if watch.state == "unknown" else own_timer(watch)


def is_due(watch, now, is_first):
    windowed = any(law.is_windowed(clause["metric"]) for clause in law.clauses(watch.rule))
    slides = windowed and watch.state in ("firing", "recovering")
    return is_first or slides or own_timer(watch) <= now


class Contract(law.Contract):
    """The model drops floors from the future. Here they count once their time has come, as in CORE.md.

    The model compares late floors only with accepted ones, so it finds no glitch in a first answer. Here it compares them with every floor of the answer.
    """

    told = ()
    ahead = ()

    def commit(self, now, floors, sales, timer):
        every = {}
        for p in [*self.ahead, *floors]:
            known = every.get(p.time)
            repeated = known is not None and known.agreed and known.says() == p.says()
            every[p.time] = known if repeated else p
        self.ahead = [p for p in every.values() if p.time > now]
        floors = [p for p in every.values() if p.time <= now]
        self.told = [p for p in floors if law.known(p.value)]
        return super().commit(now, floors, sales, timer)

    def _remember(self, p):
        accepted = self.floors
        told = {q.time: q for q in self.told}
        later = sorted([*told.values(), *(q for q in accepted if q.time not in told)], key=lambda q: q.time)
        before = [q for q in accepted if q.time < p.time and law.known(q.value)][-1:]
        after = [q for q in later if q.time > p.time and law.known(q.value)][:1]
        glitch = before and after and law.is_outlier(p.value, before[0].value) and law.nearer(after[0].value, before[0].value, p.value)
        known = self.every
        super()._remember(p)
        if self.every is not known:
            self.floors = accepted if glitch else law.placed(accepted, p)


evaluate = law.evaluate


def evaluate_up_to_floor(rule, step, floors):
    """While there is a suspect, a window of the model contains late floors that are newer than the measured floor. Here they count with the next floor."""
    newest = step.reading.get(law.floor_of(rule))
    return evaluate(rule, step, [p for p in floors if newest is None or p.time <= newest.time])


law.evaluate = evaluate_up_to_floor


def at_once(steps, before):
    """The steps of a poll as one step: by CORE.md, a new watch starts "with the reading of the first answered poll"; in law.py, with the first step of that poll."""
    if not steps:
        return steps
    last, changed = steps[-1], frozenset().union(*(step.changed for step in steps))
    moved = frozenset(n for n in changed if n not in before or last.reading[n].value != before[n].value)
    return [law.Step(last.seq, last.at, last.reading, changed, moved)]


def run(history):
    contract, watch = Contract(), law.Watch(history["rule"], history["made"])
    alerts, steps, states, is_first = [], [], [], True
    for poll in history["polls"]:
        if not poll["answered"]:
            continue
        now, floors = poll["now"], [floor(told) for told in poll["floors"]]
        sales = {f"sale.{days}": sale(told) for days, told in poll["sales"].items()}
        is_made = now > watch.made
        timer = poll["otherTimer"] or (is_made and is_due(watch, now, is_first))
        before = contract.reading
        made_steps = contract.commit(now, floors, sales, timer)
        if is_made:
            is_first = False
        if is_made and made_steps:
            steps_seen = at_once(made_steps, before) if watch.state == "unknown" else made_steps
            watch, said = law.follow(watch, contract, steps_seen, now)
            alerts += [[kind, time, scaled(shown)] for kind, time, shown in said]
        # Another watch of the contract has a due timer in every poll, so each poll ends with a step at its time.
        if made_steps and contract.at < now:
            contract._step({}, now)
        steps += [[step.at, sorted(step.changed)] for step in made_steps]
        states.append(watch.state)
    return {"alerts": alerts, "steps": steps, "states": states}


json.dump([run(history) for history in json.load(sys.stdin)], sys.stdout)

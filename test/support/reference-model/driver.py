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
    """An integer of 10^-18, cut toward zero."""
    return None if number is None else str(int((number * 10**18).to_integral_value(ROUND_DOWN)))


def is_due(watch, now, is_first):
    windowed = any(law.is_windowed(clause["metric"]) for clause in law.clauses(watch.rule))
    slides = windowed and watch.state in ("firing", "recovering")
    return is_first or slides or watch.timer() <= now


def run(history):
    contract, watch = law.Contract(), law.Watch(history["rule"], history["made"])
    alerts, steps, states, is_first = [], [], [], True
    for poll in history["polls"]:
        if not poll["answered"]:
            continue
        now, floors = poll["now"], [floor(told) for told in poll["floors"]]
        sales = {f"sale.{days}": sale(told) for days, told in poll["sales"].items()}
        is_made = now > watch.made
        timer = poll["otherTimer"] or (is_made and is_due(watch, now, is_first))
        made_steps = contract.commit(now, floors, sales, timer)
        if is_made:
            is_first = False
            watch, said = law.follow(watch, contract, made_steps, now)
            alerts += [[kind, time, scaled(shown)] for kind, time, shown in said]
        # Another watch of the contract has a due timer in every poll: the poll ends at its question.
        if made_steps and contract.at < now:
            contract._step({}, now)
        steps += [[step.at, sorted(step.changed)] for step in made_steps]
        states.append(watch.state)
    return {"alerts": alerts, "steps": steps, "states": states}


json.dump([run(history) for history in json.load(sys.stdin)], sys.stdout)

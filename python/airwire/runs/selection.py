"""Which links and settings keep a bound on latency and loss: the model run over what is worth trying.

Where a link has few combinations of settings all are tried; otherwise the search changes one setting at a time,
keeps the best, and goes on until nothing helps. What protects a message or its neighbours stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import inf

from airwire import _core
from airwire.explain.link.sentences import refusal_sentence
from airwire.explain.waterfall import link_waterfalls
from airwire.explain.what_if import Prediction, canonical, prediction_of
from airwire.link.catalogue import link_budget, links
from airwire.link.energy import parse_battery
from airwire.link.model import Bounds, Candidate, Choice, Link, LinkBudget, Refusal
from airwire.runs.simulation import simulate
from airwire.values import Time, check_numbers, picoseconds_or_none

SAMPLES = 2000
# With rarer messages a prediction would last longer than a run may.
_RAREST_PS = 3600 * 10**12
# All combinations are tried up to this many; beyond, settings are improved one at a time.
MOST_COMBINATIONS = 96
_TRACED = 500
# No encryption, acknowledgement, checksum or look at the channel is turned off for some microseconds.
KEPT_SETTINGS = frozenset({"encrypted", "acknowledge", "ack", "crc", "csma", "cca", "frame_retries"})
# A gain below this share of the bound is worth no change.
WORTH_A_CHANGE = 0.05
# What a radio that may lose frames calls the place where it stands.
_SITE = "loss_site"
DUTY_CYCLE = "duty_cycle"
"""The setting of links for which the law limits the share of the time on the air."""
SITES = ("clean", "office", "crowded")
# Where more than this share of the messages wait behind one another, they come faster than they are carried.
_OVERLOADED = 0.02
# No phase of a gate is frozen when messages come so much earlier and later, a share of their interval.
_JITTER = 0.1
Settings = Mapping[str, str]


def choose(
    payload_bytes: int,
    *,
    p95: Time | None = None,
    p50: Time | None = None,
    loss: float | None = None,
    every: Time | None = None,
    duty_cycle: float | None = None,
    battery: str | None = None,
    site: str = "office",
    only: Sequence[str] = (),
    samples: int = SAMPLES,
    seed: int = 1,
    workers: int | None = None,
) -> Choice:
    """Find the links and settings that carry a payload within bounds, by prediction, the most margin first.

    ``p50`` and ``p95`` bound the latency (``"20 ms"``, or picoseconds), ``loss`` the share of lost messages; at least
    one is given. ``every`` is the interval of the messages, 10 % more or less; by default each has the link for itself.
    ``only`` names the links to look at. Of each link come its defaults or the fewest changes that keep the bounds, and
    what keeps them best by more than 5 % of the bound. ``site`` is where the radios stand (``"clean"``, ``"office"``,
    ``"crowded"``): how often interference destroys a frame there, a link's constants say. Encryption,
    acknowledgements, checksums and the like stay on. ``duty_cycle`` bounds the share of the time on the air of links
    for which the law does, and ``battery`` (``"2400mAh"``) has told how long it lasts; both take ``every``.

    Raises ``AirwireError`` for an unknown link, an empty payload, and where no bound is given or none can be kept.

    >>> airwire.choose(128, p95="20 ms", every="100 ms", only=["uart"]).accepted[0].changed
    {'baud': '1843200'}
    """
    bounds = Bounds(picoseconds_or_none(p50), picoseconds_or_none(p95), loss, duty_cycle)
    every_ps = picoseconds_or_none(every)
    check_numbers(payload_bytes=payload_bytes, samples=samples, seed=seed, workers=workers)
    _check(payload_bytes, bounds, every_ps)
    battery_as = None if battery is None else parse_battery(battery)
    if every_ps is None and (battery is not None or duty_cycle is not None):
        raise _core.AirwireError("battery and duty_cycle depend on how often a message comes; give every as well")
    if site not in SITES:
        raise _core.AirwireError(f"there is no site {site}; {_core.name_hint(site, list(SITES))}")
    known = {link.name: link for link in links()}
    for name in only:
        if name not in known:
            # The core's sentence says what is near.
            link_budget(name, payload_bytes)
    search = _Search(payload_bytes, bounds, every_ps, site, samples, seed, workers, battery_as)
    chosen = [link for link in known.values() if not only or link.name in only]
    searched = [(link, search.candidates(link)) for link in chosen]
    accepted = [found for _, candidates in searched for found in _worth_showing(candidates)]
    refused = [search.refusal(link, found) for link, found in searched if not any(c.margin >= 0 for c in found)]
    accepted.sort(key=lambda candidate: (-candidate.margin, candidate.link))
    nearest = sorted(refused, key=lambda refusal: -refusal.nearest.margin if refusal.nearest else inf)
    return Choice(payload_bytes, bounds, accepted, nearest, samples, seed, every_ps, site, battery)


def _check(payload_bytes: int, bounds: Bounds, every_ps: int | None) -> None:
    if payload_bytes < 1:
        raise _core.AirwireError(f"the payload is {payload_bytes} bytes, but a message has 1 at least")
    if bounds == Bounds():
        raise _core.AirwireError("there is no bound to keep; give p95, p50 or loss")
    if bounds.duty_cycle is not None and not 0 < bounds.duty_cycle <= 1:
        raise _core.AirwireError(f"duty_cycle is {bounds.duty_cycle}, but it is a share above 0, up to 1")
    for name, bound in (("p50", bounds.p50_ps), ("p95", bounds.p95_ps)):
        if bound is not None and bound <= 0:
            said = f"{name} is bound to {_core.format_time(bound)}, but every message takes time"
            raise _core.AirwireError(f"{said}; give more, as 20ms")
    if every_ps is not None and every_ps <= 0:
        said = f"every is {_core.format_time(every_ps)}, but messages come one after the other"
        raise _core.AirwireError(f"{said}; give more, as 100ms")
    if every_ps is not None and every_ps > _RAREST_PS:
        raise _core.AirwireError(
            f"every is {_core.format_time(every_ps)}, but at most {_core.format_time(_RAREST_PS)} can be predicted; "
            "give less, or leave it out, since messages so rare have the link for themselves"
        )
    if bounds.loss is not None and not 0 <= bounds.loss <= 1:
        raise _core.AirwireError(f"loss is bound to {bounds.loss}, but it is a share from 0 to 1")


def _worth_showing(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of those that keep the bounds: the one with the fewest changes, and what is about as good as the best."""
    kept = [candidate for candidate in candidates if candidate.margin >= 0]
    if not kept:
        return []
    enough = max(candidate.margin for candidate in kept) - WORTH_A_CHANGE
    nearest = min(kept, key=_by_changes)
    best = min((candidate for candidate in kept if candidate.margin >= enough), key=_by_changes)
    return [nearest] if nearest.margin >= enough else [nearest, best]


def _by_changes(candidate: Candidate) -> tuple[int, float]:
    return len(candidate.changed), -candidate.margin


@dataclass
class _Search:
    payload_bytes: int
    bounds: Bounds
    every_ps: int | None
    site: str
    samples: int
    seed: int
    workers: int | None
    battery_as: float | None = None
    tried: dict[tuple[str, str], Candidate] = field(default_factory=dict)

    @property
    def trigger(self) -> dict[str, str] | None:
        """As a suite has it."""
        if self.every_ps is None:
            return None
        jitter_ps = round(self.every_ps * _JITTER)
        return {"kind": "dithered", "period": f"{self.every_ps - jitter_ps} ps", "by": f"{2 * jitter_ps} ps"}

    def there(self, link: Link, settings: Settings) -> dict[str, str]:
        """Settings of a link at the site."""
        stands = any(setting.name == _SITE for setting in link.settings)
        return {_SITE: self.site, **settings} if stands else dict(settings)

    def candidates(self, link: Link) -> list[Candidate]:
        """What was tried of a link, the defaults first; none where it does not carry the payload."""
        if canonical(link.name, self.payload_bytes, {}) is None:
            return []
        values = _values_of(link)
        combinations = 1
        for own in values.values():
            combinations *= len(own) + 1
        if combinations <= MOST_COMBINATIONS:
            return self._predicted(link, list(_combinations(values)))
        return self._improved(link, values)

    def _improved(self, link: Link, values: Mapping[str, Sequence[str]]) -> list[Candidate]:
        """Changes one setting at a time and keeps the best; each round settles one setting.

        A value that goes only with another one of a second setting is tried together with it.
        """
        settled: Settings = {}
        found = self._predicted(link, [settled])
        for _ in values:
            steps = [{**settled, name: text} for name, own in values.items() for text in own]
            found += self._predicted(link, [whole for step in steps for whole in self._whole(link, step, values)])
            best = max(found, key=lambda candidate: candidate.margin).changed
            if best == settled:
                break
            settled = best
        return found

    def _whole(self, link: Link, step: Settings, values: Mapping[str, Sequence[str]]) -> Iterator[Settings]:
        """The step itself; where it does not go with the rest, each that does with one more setting changed."""
        if canonical(link.name, self.payload_bytes, step) is not None:
            yield step
            return
        more = ({**step, name: text} for name, own in values.items() if name not in step for text in own)
        yield from (one for one in more if canonical(link.name, self.payload_bytes, one) is not None)

    def _predicted(self, link: Link, variants: Sequence[Settings]) -> list[Candidate]:
        """The candidates of settings that go together and were not tried before."""
        name = link.name
        new: dict[str, Settings] = {}
        for settings in variants:
            meant = canonical(name, self.payload_bytes, self.there(link, settings))
            key = json.dumps(meant, sort_keys=True)
            if meant is not None and (name, key) not in self.tried and key not in new:
                new[key] = settings
        requests = [(name, self.payload_bytes, self.there(link, settings)) for settings in new.values()]
        rows = _core.simulate(
            requests, samples=self.samples, seed=self.seed, spans=0, trigger=self.trigger, workers=self.workers
        )
        found = []
        for (key, settings), row in zip(new.items(), rows, strict=True):
            queue = row.longest_queue if row.longest_queue > _OVERLOADED * self.samples else 0
            candidate = self._candidate(link, settings, prediction_of(row), queue)
            self.tried[(name, key)] = candidate
            found.append(candidate)
        return found

    def _candidate(self, link: Link, settings: Settings, found: Prediction, queue: int) -> Candidate:
        # In closed form: a loss of one in a million would take millions of messages to be seen.
        budget = link_budget(link.name, self.payload_bytes, self.there(link, settings))
        found = replace(found, loss=budget.loss)
        duty, battery_s = self._duty(link, budget), self._battery_s(budget)
        margin = min(margin_of(found, self.bounds), -queue or inf)
        if duty is not None and self.bounds.duty_cycle is not None:
            margin = min(margin, 1 - duty / self.bounds.duty_cycle)
        changed = dict(settings)
        times = (found.median_ps, found.p95_ps)
        return Candidate(link.name, link.title, changed, *times, found.loss, margin, queue, duty, battery_s)

    def _duty(self, link: Link, budget: LinkBudget) -> float | None:
        if self.every_ps is None or not any(setting.name == DUTY_CYCLE for setting in link.settings):
            return None
        return sum(stage.ps for stage in budget.stages if stage.cause == "air") / self.every_ps

    def _battery_s(self, budget: LinkBudget) -> float | None:
        if self.battery_as is None or self.every_ps is None or budget.energy is None:
            return None
        return budget.energy.battery_s(self.battery_as, self.every_ps)

    def refusal(self, link: Link, found: Sequence[Candidate]) -> Refusal:
        """Why a link was refused, from a traced run of the nearest that it comes."""
        if not found:
            carries = f"It carries 1 to {link.max_payload_bytes} bytes, not {self.payload_bytes}."
            return Refusal(link.name, link.title, carries, None)
        nearest = max(found, key=lambda candidate: candidate.margin)
        traced = simulate(
            [(link.name, self.payload_bytes, self.there(link, nearest.changed))],
            samples=self.samples,
            seed=self.seed,
            spans=_TRACED,
            trigger=self.trigger,
            workers=self.workers,
        )[0]
        percentile = 50 if self.bounds.p95_ps is None else 95
        at = link_waterfalls(traced, (percentile,))
        sentence = refusal_sentence(nearest, self.bounds, at[0] if at else None, self.every_ps)
        return Refusal(link.name, link.title, sentence, nearest)


def margin_of(found: Prediction, bounds: Bounds) -> float:
    """The share of the tightest bound that is left, negative where it is exceeded."""
    if found.median_ps is None or found.p95_ps is None:
        return -inf
    margins = [
        1 - value / bound
        for value, bound in ((found.median_ps, bounds.p50_ps), (found.p95_ps, bounds.p95_ps))
        if bound is not None
    ]
    if bounds.loss is not None:
        # No loss at all leaves all of the bound, whatever it is.
        margins.append(1 - found.loss / bounds.loss if bounds.loss > 0 else (1.0 if found.loss == 0 else -found.loss))
    return min(margins)


def _values_of(link: Link) -> dict[str, Sequence[str]]:
    return {
        setting.name: setting.alternatives
        for setting in link.settings
        if setting.alternatives and setting.name not in KEPT_SETTINGS
    }


def _combinations(values: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Every combination, none changed first, then one changed, and so on."""
    chosen = product(*([None, *own] for own in values.values()))
    named = [{name: text for name, text in zip(values, texts, strict=True) if text is not None} for texts in chosen]
    yield from sorted(named, key=len)

"""What other settings would bring: runs of the model with one setting changed at a time, on all cores.

Only settings with values worth trying are varied; those that the site or the board gives stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from airwire import _core
from airwire.explain.link.sentences import change_sentence
from airwire.link.catalogue import link_budget, links
from airwire.link.model import Change, Setting
from airwire.losses import sent_of

# Gains below this share are within the scatter of the prediction.
WORTH_SAYING = 0.01
# A change that loses this share of the messages more is no gain, however fast the rest is.
_LOSS_THAT_MATTERS = 0.01


@dataclass(frozen=True, slots=True)
class Question:
    """A link as it stands, of which is asked what could be better."""

    link: str
    payload_bytes: int
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Trial:
    """A question with one setting changed."""

    setting: str
    before: str
    after: str
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Prediction:
    """The figures of one run of the model; times are ``None`` where no message arrived."""

    median_ps: float | None
    p95_ps: float | None
    loss: float


def changes_of(
    questions: Sequence[Question], *, samples: int, seed: int, workers: int | None = None
) -> list[list[Change]]:
    """For each question the changes of one setting that help, the best first."""
    trials = [list(trials_of(question)) for question in questions]
    requests: list[tuple[str, int, dict[str, str]]] = []
    for question, own in zip(questions, trials, strict=True):
        variants = [question.settings, *(trial.settings for trial in own)]
        requests += [(question.link, question.payload_bytes, dict(settings)) for settings in variants]
    rows = _core.simulate(requests, samples=samples, seed=seed, spans=0, trigger=None, workers=workers)
    found = iter([prediction_of(row) for row in rows])
    return [_ranked(next(found), [(trial, next(found)) for trial in own]) for own in trials]


def prediction_of(row: _core.RowResult) -> Prediction:
    """The figures of a simulated row."""
    loss = sent_of(row.outcomes, row.unfinished).loss
    latency = row.latency
    return Prediction(None, None, loss) if latency is None else Prediction(latency["p50"], latency["p95"], loss)


def trials_of(question: Question) -> Iterator[Trial]:
    """Every value worth trying of every setting, but the one in force and those that do not go with the others."""
    current = canonical(question.link, question.payload_bytes, question.settings)
    if current is None:
        return
    for setting in settings_of(question.link):
        name = setting.name
        texts = {current[name]: current[name]}
        tried: list[tuple[str, dict[str, str]]] = []
        for text in setting.alternatives:
            settings = {**question.settings, name: text}
            meant = canonical(question.link, question.payload_bytes, settings)
            if meant is not None and meant[name] not in texts:
                tried.append((text, settings))
            if meant is not None:
                texts[meant[name]] = text
        before = texts[current[name]]
        yield from (Trial(name, before, text, settings) for text, settings in tried)


def canonical(link: str, payload_bytes: int, settings: Mapping[str, str]) -> Mapping[str, str] | None:
    """All settings as the link itself writes them; nothing where they do not go together."""
    try:
        return link_budget(link, payload_bytes, settings).settings
    except _core.AirwireError:
        return None


def settings_of(link: str) -> Sequence[Setting]:
    """The settings that a link declares."""
    return next(known.settings for known in links() if known.name == link)


def _ranked(base: Prediction, tried: Sequence[tuple[Trial, Prediction]]) -> list[Change]:
    if base.median_ps is None or base.p95_ps is None:
        return []
    changes = []
    for trial, found in tried:
        if found.median_ps is None or found.p95_ps is None or found.loss - base.loss > _LOSS_THAT_MATTERS:
            continue
        median, p95 = (base.median_ps, found.median_ps), (base.p95_ps, found.p95_ps)
        more_loss = found.loss - base.loss
        sentence = change_sentence(trial.setting, trial.before, trial.after, median, p95, more_loss)
        changes.append(Change(trial.setting, trial.before, trial.after, median, p95, (base.loss, found.loss), sentence))
    helpful = [change for change in changes if change.gain > WORTH_SAYING]
    return sorted(helpful, key=lambda change: (-change.gain, change.setting, change.after))

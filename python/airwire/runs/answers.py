"""What became of each answer: run folders have a column for it, and those of before say it in front of the error."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from airwire.kinds import Answered

if TYPE_CHECKING:
    import polars as pl

_BEHIND = ": "
"""Between the word and what is said of it, in folders of before."""


def with_answers(samples: pl.DataFrame) -> pl.DataFrame:
    """Samples with the column ``answer``; those of before get it from the word that their errors begin with."""
    import polars as pl

    if "answer" in samples.columns or "error" not in samples.columns or samples["error"].dtype != pl.String:
        return samples
    parts = pl.col("error").str.splitn(_BEHIND, 2)
    word, rest = parts.struct.field("field_0"), parts.struct.field("field_1")
    is_word = word.is_in(get_args(Answered))
    # Who has requests knows of those that were answered; a capture or a link knows of none.
    is_known = pl.col("request_bytes").is_not_null() if "request_bytes" in samples.columns else pl.lit(False)
    is_right = is_known & (pl.col("outcome") == "paired")
    answer = pl.when(is_word).then(word).when(is_right).then(pl.lit("ok"))
    error = pl.when(is_word).then(rest).otherwise(pl.col("error"))
    return samples.with_columns(answer.alias("answer"), error.alias("error"))

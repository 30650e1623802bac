"""What a variant means, whatever it is written like, as a digest: the content hash of its points is made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from airwire.explain.what_if import canonical
from airwire.sweep.entries import LINK_FIELDS, Entry, as_text


def digest_of(content: Any) -> str:
    """The SHA-256 of something that JSON can hold, whatever the order of its keys."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256(text.encode()).hexdigest()


def meaning_of(entry: Entry, document: Mapping[str, Any], files: Mapping[str, str]) -> str:
    """The digest of a document of an entry. Of a link all settings count, as they are in force."""
    content: dict[str, Any] = {"kind": entry.kind, "entry": entry.name, "files": dict(files)}
    if entry.kind == "boards":
        return digest_of({**content, "document": document})
    settings = {name: as_text(value) for name, value in document.items() if name not in LINK_FIELDS}
    (payload_bytes,) = document["payloads"]
    in_force = canonical(entry.link, payload_bytes, settings)
    rest = {name: value for name, value in document.items() if name in LINK_FIELDS}
    return digest_of({**content, "link": entry.link, "rest": rest, "settings": in_force or settings})

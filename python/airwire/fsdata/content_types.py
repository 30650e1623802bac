"""Which content type a file's name stands for.

The names are those of the IANA media type registry; text gets ``charset=utf-8`` where it is. Leaves out guessing by
content: what a browser shall do with a file is in its name.
"""

from __future__ import annotations

from pathlib import PurePosixPath

SSI_SUFFIXES = (".shtml", ".shtm", ".ssi")
UNKNOWN = "application/octet-stream"
_TYPES = {
    **dict.fromkeys(("html", "htm", "shtml", "shtm", "ssi"), "text/html"),
    "xhtml": "application/xhtml+xml",
    "css": "text/css",
    **dict.fromkeys(("js", "mjs"), "text/javascript"),
    **dict.fromkeys(("json", "map"), "application/json"),
    "webmanifest": "application/manifest+json",
    "wasm": "application/wasm",
    "txt": "text/plain",
    "md": "text/markdown",
    "csv": "text/csv",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "pdf": "application/pdf",
    "svg": "image/svg+xml",
    "png": "image/png",
    **dict.fromkeys(("jpg", "jpeg"), "image/jpeg"),
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "ico": "image/vnd.microsoft.icon",
    "bmp": "image/bmp",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "ttf": "font/ttf",
    "otf": "font/otf",
    "mp3": "audio/mpeg",
    "wav": "audio/vnd.wave",
    "ogg": "audio/ogg",
    "mp4": "video/mp4",
    "webm": "video/webm",
    "zip": "application/zip",
    "gz": "application/gzip",
    "bin": UNKNOWN,
}


def content_type(name: str, content: bytes) -> tuple[str, bool]:
    """The content type of a file, and whether its name says so; ``live.json.shtml`` is JSON with tags."""
    suffixes = [suffix[1:].lower() for suffix in PurePosixPath(name).suffixes]
    if len(suffixes) > 1 and f".{suffixes[-1]}" in SSI_SUFFIXES and suffixes[-2] in _TYPES:
        suffixes.pop()
    kind = _TYPES.get(suffixes[-1]) if suffixes else None
    if kind is None:
        return UNKNOWN, False
    return kind + ("; charset=utf-8" if kind.startswith("text/") and _is_utf8(content) else ""), True


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True

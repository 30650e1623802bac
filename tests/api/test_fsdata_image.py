"""Images of web pages: read back by a reader of their own; types, ETags, gzip and tags as the standards have them."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import os
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airwire import AirwireError
from airwire.fsdata import FsData, build
from airwire.fsdata.c_source import c_header, c_source, write
from airwire.fsdata.pages import cut

Site = Callable[..., Path]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    def make(**files: bytes | str) -> Path:
        folder = tmp_path / "site"
        for name, content in files.items():
            file = folder / name.replace("__", "/").replace("_dot_", ".")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    return make


def word(image: bytes, at: int) -> int:
    return int(struct.unpack_from("<I", image, at)[0])


def text(image: bytes, at: int) -> str:
    return image[at : image.index(b"\0", at)].decode()


def answers(data: FsData) -> dict[str, tuple[bytes, bytes, bytes, bytes]]:
    """Path to head and body of the plain and the gzip variant, read from the image's bytes alone."""
    image = data.image
    assert image[:6] == b"AWFS\x01\x00"
    assert word(image, 8) == len(image)
    assert word(image, 24) == zlib.crc32(image[28:])
    count, tags = struct.unpack_from("<HH", image, 12)
    files, tag_names = word(image, 16), word(image, 20)
    assert (count, tags) == (len(data.files), len(data.tags))
    assert [text(image, tag_names + 20 * n) for n in range(tags)] == list(data.tags)
    found = {}
    for n in range(count):
        entry = files + 40 * n
        parts: list[bytes] = []
        for variant in (entry + 4, entry + 16):
            head, head_bytes, _, body_bytes = struct.unpack_from("<IHHI", image, variant)
            body = head + head_bytes + 2
            if head:
                assert image[head + head_bytes : body] == b"\r\n"
                parts += [image[head : head + head_bytes], image[body : body + body_bytes]]
            else:
                parts += [b"", b""]
        assert word(image, entry + 28) == zlib.crc32(parts[1])
        found[text(image, word(image, entry))] = (parts[0], parts[1], parts[2], parts[3])
    return found


def field(head: bytes, name: str) -> str | None:
    line = re.search(rf"^{name}: (.*)\r$", head.decode(), re.MULTILINE)
    return line and line[1]


def test_heads_say_what_the_bodies_are(site: Site) -> None:
    script = "let x = 1;\n" * 50
    data = build(site(index_dot_html="<p>a</p>", app_dot_js=script), gzip=True)
    head, body, packed_head, packed = answers(data)["/app.js"]
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert body.decode() == script
    assert field(head, "Content-Type") == "text/javascript; charset=utf-8"
    assert field(head, "Content-Length") == str(len(script))
    assert field(head, "ETag") == f'"{hashlib.sha256(script.encode()).hexdigest()[:16]}"'
    assert gzip.decompress(packed) == body
    assert field(packed_head, "Content-Encoding") == "gzip"
    assert field(packed_head, "Content-Length") == str(len(packed))
    assert field(packed_head, "ETag") != field(head, "ETag")
    assert field(head, "Vary") == field(packed_head, "Vary") == "Accept-Encoding"
    assert answers(data)["/index.html"][2] == b""


@pytest.mark.parametrize(
    "suffix",
    [
        *("html", "htm", "css", "js", "mjs", "json", "svg", "png", "jpg", "jpeg", "gif", "webp", "wasm", "txt", "csv"),
        *("xml", "pdf", "ttf", "otf", "woff", "woff2", "mp4", "zip"),
    ],
)
def test_content_types_agree_with_the_registry(site: Site, suffix: str) -> None:
    """Against the list that Python brings, where the registry has not changed since."""
    (file,) = build(site(**{f"a_dot_{suffix}": "x"})).files
    newer = {"xml": "application/xml", "zip": "application/zip", "webp": "image/webp", "js": "text/javascript"}
    newer |= {
        "mjs": "text/javascript",
        "ttf": "font/ttf",
        "otf": "font/otf",
        "woff": "font/woff",
        "woff2": "font/woff2",
    }
    assert file.content_type is not None
    assert file.content_type.split(";")[0] == newer.get(suffix, mimetypes.MimeTypes().guess_type(f"a.{suffix}")[0])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.shtml", "text/html; charset=utf-8"),
        ("a.SHTM", "text/html; charset=utf-8"),
        ("a.ssi", "text/html; charset=utf-8"),
        ("live.json.shtml", "application/json"),
        ("v1.2.shtml", "text/html; charset=utf-8"),
        ("jquery.min.js", "text/javascript; charset=utf-8"),
        ("app.js.map", "application/json"),
        ("favicon.ico", "image/vnd.microsoft.icon"),
    ],
)
def test_the_last_suffix_says_the_type_but_for_tags_in_something_else(site: Site, name: str, kind: str) -> None:
    assert build(site(**{name.replace(".", "_dot_"): "x"})).files[0].content_type == kind


def test_an_unknown_type_is_served_as_bytes_with_a_warning(site: Site) -> None:
    data = build(site(a_dot_xyz="x", README="y"))
    assert {file.content_type for file in data.files} == {"application/octet-stream"}
    assert len(data.warnings) == 2
    assert "a.xyz" in data.warnings[1]


def test_text_that_is_not_utf_8_has_no_charset(site: Site) -> None:
    assert build(site(a_dot_txt=b"\xe4")).files[0].content_type == "text/plain"


def test_folders_are_answered_with_their_index(site: Site) -> None:
    data = build(site(index_dot_shtml="a", index_dot_html="b", sub__index_dot_htm="c"))
    found = answers(data)
    assert found["/"][1] == b"a"
    assert found["/sub/"][1] == b"c"
    assert field(found["/sub"][0], "Location") == "/sub/"
    assert found["/sub"][0].startswith(b"HTTP/1.1 301 ")
    assert any("/ is answered with index.shtml" in warning for warning in data.warnings)


def test_shared_contents_are_in_the_image_once(site: Site) -> None:
    folder = site(index_dot_html="<p>unmistakable</p>")
    assert build(folder).image.count(b"unmistakable") == 1


def test_a_page_for_404_has_its_status_and_no_etag(site: Site) -> None:
    data = build(site(index_dot_html="a", **{"404_dot_html": "gone"}))
    head = answers(data)["/404.html"][0]
    assert head.startswith(b"HTTP/1.1 404 Not Found\r\n")
    assert field(head, "ETag") is None
    assert sorted(answers(data))[struct.unpack_from("<H", data.image, 6)[0]] == "/404.html"


def test_the_same_files_give_the_same_bytes(site: Site, tmp_path: Path) -> None:
    folder = site(b_dot_css="b" * 300, a_dot_html="a", sub__c_dot_shtml="<!--#t-->")
    first = build(folder, gzip=True)
    other = tmp_path / "other"
    for name in ("sub/c.shtml", "a.html", "b.css"):
        (other / name).parent.mkdir(parents=True, exist_ok=True)
        (other / name).write_bytes((folder / name).read_bytes())
        os.utime(other / name, (1, 1))
    assert build(other, gzip=True).image == first.image
    assert c_source(build(other, gzip=True)) == c_source(first)


def test_c_holds_every_byte_and_every_tag(site: Site) -> None:
    data = build(site(a_dot_shtml="<!--#Volt_1--><!--#b-->"))
    source = c_source(data, "pages")
    array = source[source.index("= {") : source.index("};")]
    assert bytes(map(int, re.findall(r"\d+", array))) == data.image
    header = c_header(data, "pages")
    assert f"#define PAGES_BYTES {len(data.image)}u" in header
    assert "#define PAGES_TAG_Volt_1 0u" in header


@settings(max_examples=300)
@given(st.lists(st.one_of(st.from_regex(r"[A-Za-z0-9_]{1,16}", fullmatch=True), st.binary(max_size=20)), max_size=8))
def test_a_page_is_cut_at_its_tags_and_nowhere_else(parts: list[str | bytes]) -> None:
    """Text that is no lead-in comes back as it was, tags in their order."""
    literals = [part.replace(b"<", b".") for part in parts if isinstance(part, bytes)]
    content = b"".join(
        b"<!--#" + part.encode() + b" -->" if isinstance(part, str) else part.replace(b"<", b".") for part in parts
    )
    page = cut(content, "page")
    assert page.literal == b"".join(literals)
    assert list(page.tags) == [part for part in parts if isinstance(part, str)]
    assert sum(length for length, _ in page.pieces) == len(page.literal)
    again, at = b"", 0
    for length, tag in page.pieces:
        again += page.literal[at : at + length] + (b"" if tag is None else b"<!--#" + tag.encode() + b" -->")
        at += length
    assert again == content


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a\n\n<!--#open\n-->", ":3: a tag begins here and is not closed"),
        ("<!--#a <!--#b-->", ":1: a tag begins here and is not closed"),
        ("<!--#", ":1: a tag begins here and is not closed"),
        ('a\n<!--#include file="b"-->', ':2: `include file="b"` is no tag\'s name'),
        ("<!--#-->", ":1: `` is no tag's name"),
        ("<!--#seventeen_letters-->", ":1: the tag seventeen_letters has 17 characters, but 16 are the most"),
    ],
)
def test_a_wrong_tag_is_an_error_with_its_line(site: Site, content: str, says: str) -> None:
    with pytest.raises(AirwireError) as error:
        build(site(a_dot_shtml=content))
    assert f"a.shtml{says}" in str(error.value)


def test_tags_are_left_alone_in_other_files(site: Site) -> None:
    assert answers(build(site(a_dot_html="<!--#open")))["/a.html"][1] == b"<!--#open"


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["a%41.txt", "aA.txt"], "are both /aA.txt after URL-decoding"),
        (["100%.txt"], "write %25 for a %"),
        (["a%2Fb.txt"], "stands for a slash or a zero byte"),
        (["n" * 124 + ".txt"], "has 129 bytes, but the server takes 127"),
    ],
)
def test_names_that_cannot_be_served_are_errors(tmp_path: Path, names: list[str], says: str) -> None:
    for name in names:
        (tmp_path / name).write_text("x")
    with pytest.raises(AirwireError, match=re.escape(says)):
        build(tmp_path)


def test_folders_without_files_and_links_out_of_them_are_errors(tmp_path: Path) -> None:
    with pytest.raises(AirwireError, match="this is no folder"):
        build(tmp_path / "missing")
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / ".hidden").write_text("x")
    with pytest.raises(AirwireError, match="there is no file to serve"):
        build(folder)
    (tmp_path / "secret").write_text("x")
    (folder / "a.txt").symlink_to(tmp_path / "secret")
    with pytest.raises(AirwireError, match="this link leads out of"):
        build(folder)
    (folder / "a.txt").unlink()
    (folder / "b.txt").write_text("x")
    (folder / "c.txt").symlink_to("b.txt")
    assert {file.path for file in build(folder).files} == {"/b.txt", "/c.txt"}
    (folder / "again").symlink_to(folder)
    with pytest.raises(AirwireError, match="link to a folder"):
        build(folder)


def test_a_link_that_leads_to_itself_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to("a.txt")
    with pytest.raises(AirwireError, match=r"a.txt: cannot read it: Too many levels of symbolic links"):
        build(tmp_path)


def test_a_file_beyond_any_flash_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "film.mp4").open("wb") as film:
        film.truncate(1 << 40)
    with pytest.raises(AirwireError, match=r"film.mp4: it has 1099511627776 bytes, but flash ends at 16777216"):
        build(tmp_path)


def test_a_tag_whose_constant_the_header_has_already_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.shtml").write_text("<!--#COUNT--><!--#count-->")
    with pytest.raises(AirwireError, match=r"the tag COUNT would stand for FSDATA_TAG_COUNT in fsdata.h; rename it"):
        write(build(tmp_path), tmp_path / "fsdata.c")
    assert not (tmp_path / "fsdata.c").exists()


def test_a_broken_link_and_a_file_that_cannot_be_read_are_errors(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to("nothing")
    with pytest.raises(AirwireError, match="cannot read it: No such file"):
        build(tmp_path)

"""Who may see a live view: nobody without the token, no page of another site, nobody by another host's name."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from live_peer import served_feed, stream_of
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from airwire import AirwireError
from airwire.live import Feed
from airwire.live import page as pages
from airwire.live.running import Address, checked_token, served


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    """Where one server for all of these tests is; what it refuses leaves nothing behind."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pages, "check_assets", lambda: None)
        with served_feed(tmp_path_factory.mktemp("kept")) as (_, found):
            yield found


def asked(address: Address, path: str, method: str = "GET", **headers: str) -> tuple[int, str, dict[str, str]]:
    """Status, body and headers of a request, whose headers are as they are given."""
    with closing(http.client.HTTPConnection("127.0.0.1", address.port, timeout=10)) as connection:
        return _asked(connection, path, method, headers)


def _asked(
    connection: http.client.HTTPConnection, path: str, method: str, headers: dict[str, str]
) -> tuple[int, str, dict[str, str]]:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.putrequest(method, path, skip_host="Host" in given)
    for name, value in given.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), {name.lower(): value for name, value in answer.getheaders()}


def test_the_page_loads_nothing_from_elsewhere_and_may_run_no_script_but_its_own(address: Address) -> None:
    status, body, headers = asked(address, f"/{address.token}/")
    assert status == 200
    assert '<h1 id="title">Tested</h1>' in body
    assert (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"
        in headers["content-security-policy"]
    )
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert "http:" not in body and "https:" not in body and "style=" not in body
    assert "server" not in headers
    assert address.url.startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    "path", ["/", "/{other}/", "/{token}", "/{token}x/", "/{short}/", "//", "/{other}/stream", "/%C3%A9/"]
)
def test_without_the_token_nothing_is_told(address: Address, path: str) -> None:
    line = path.format(token=address.token, other="A" * len(address.token), short=address.token[:-1])
    status, body, _ = asked(address, line)
    assert status == 403
    assert body == "This address lacks the token; open the whole address that airwire live printed.\n"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "", "[::1"])
def test_the_name_of_another_host_is_refused_although_the_token_is_right(address: Address, host: str) -> None:
    status, body, _ = asked(address, f"/{address.token}/", Host=host.format(port=address.port))
    assert status == 403
    assert "by the name of another host" in body


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}"])
def test_addresses_and_localhost_are_no_other_host(address: Address, host: str) -> None:
    assert asked(address, f"/{address.token}/", Host=host.format(port=address.port))[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:{port}"])
def test_pages_of_other_sites_are_refused_although_the_token_is_right(address: Address, origin: str) -> None:
    given = origin.format(port=address.port)
    status, body, _ = asked(address, f"/{address.token}/", Origin=given)
    assert status == 403
    assert "from the page of another site" in body
    with pytest.raises(InvalidStatus) as refused, connect(stream_of(address), additional_headers={"Origin": given}):
        pass
    assert refused.value.response.status_code == 403


def test_the_page_s_own_origin_is_right(address: Address) -> None:
    own = {"Origin": f"http://127.0.0.1:{address.port}"}
    with connect(stream_of(address), additional_headers=own) as socket:
        assert "hello" in str(socket.recv(5))


def test_a_socket_without_the_token_is_refused(address: Address) -> None:
    for url in (f"ws://127.0.0.1:{address.port}/stream", stream_of(address).replace(address.token, "A" * 22)):
        with pytest.raises(InvalidStatus) as refused, connect(url):
            pass
        assert refused.value.response.status_code == 403


@pytest.mark.parametrize("path", ["../pages.py", "%2e%2e/page.py", "live.css.map", "stream"])
def test_nothing_but_the_page_is_served(address: Address, path: str) -> None:
    assert asked(address, f"/{address.token}/{path}")[0] in (403, 404)
    assert asked(address, f"/{address.token}/", "POST")[0] == 405


def test_tokens_are_random_and_a_network_takes_one_of_the_user_s() -> None:
    assert len(checked_token("127.0.0.1", None)) == 22
    assert checked_token("::1", None) != checked_token("localhost", None)
    assert checked_token("0.0.0.0", "0123456789abcdef") == "0123456789abcdef"
    for host in ("0.0.0.0", "192.168.1.2", "::", "example.org"):
        with pytest.raises(AirwireError, match=r"shows the measurement to a network; give --token with a secret of 16"):
            checked_token(host, None)
    with pytest.raises(AirwireError, match="--token has 5 characters; give 16 or more of letters, digits, - and _"):
        checked_token("127.0.0.1", "short")
    with pytest.raises(AirwireError, match="letters, digits"):
        checked_token("127.0.0.1", "0123456789abcde/../x")


def test_a_port_in_use_is_told_in_a_sentence(address: Address, tmp_path: Path) -> None:
    with (
        pytest.raises(
            AirwireError, match=rf"127.0.0.1:{address.port}: the live view cannot listen there: Address already"
        ),
        served(Feed("Other", tmp_path), port=address.port),
    ):
        pass

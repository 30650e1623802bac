"""Ping-pong of numbers over TCP: where a number ends, the client's loop and the server's loop.

The same file runs on MicroPython, on CircuitPython and on a PC. A stream is anything with ``send(data)``, which gives
how many bytes it took, and ``receive(count)``, which waits for the next bytes and gives b"" when the peer has closed.
How streams are opened is left to ``streams.py`` of each, and when it is time to open them to ``readiness.py``.

The protocol: the client sends 1; each side answers a number with the number plus one. No byte marks where a number
ends, and TCP keeps no borders either: "1000" may arrive as "10" and "00". Silence is no border, since the rest may be
late. But each side knows what has to come: the client's next number is its last one plus two, the server's answer is
the number plus one. So a number is whole when as many bytes have come as the expected one has, and it is wrong as
soon as one byte differs; nobody waits. With ``newline`` a newline ends each number, and the server takes any.
"""

MOST_NUMBER_BYTES = 20  # the digits of the greatest number of 64 bits


class PingPongError(Exception):
    """What went wrong, and what to do."""


class Numbers:
    """Whole numbers out of a stream."""

    def __init__(self, stream, newline=False):
        self._stream = stream
        self._newline = newline
        self._received = b""

    def next(self, expected):
        """The next number, or None if the peer has closed before its first byte.

        ``expected`` says which it has to be. None stands for any: without newlines that takes what comes in one piece
        for a whole number, which TCP does not promise.
        """
        if self._newline:
            return self._line(expected)
        if expected is None:
            return self._piece()
        return self._known(expected)

    def has_more(self):
        """Whether bytes have been received behind the last number."""
        return bool(self._received)

    def _known(self, expected):
        text = str(expected).encode()
        received = self._received
        while received != text:
            if not text.startswith(received[: len(text)]):
                raise PingPongError(_wrong(text, received))
            if len(received) > len(text):
                break
            piece = self._stream.receive(len(text) - len(received))
            if not piece:
                return self._closed(received)
            received += piece
        self._received = received[len(text) :]
        return expected

    def _piece(self):
        text = self._received or self._stream.receive(MOST_NUMBER_BYTES)
        self._received = b""
        return _parsed(text) if text else None

    def _line(self, expected):
        while b"\n" not in self._received:
            if len(self._received) > MOST_NUMBER_BYTES:
                raise PingPongError(_wrong(b"a number and a newline", self._received))
            piece = self._stream.receive(MOST_NUMBER_BYTES)
            if not piece:
                return self._closed(self._received)
            self._received += piece
        line, self._received = self._received.split(b"\n", 1)
        number = _parsed(line)
        if expected is not None and number != expected:
            raise PingPongError(_wrong(str(expected).encode(), line))
        return number

    def _closed(self, received):
        if received:
            raise PingPongError("the peer closed within a number, after %r: look at why the peer stopped" % received)


def _parsed(text):
    text = text.strip()
    if not text.isdigit() or len(text) > MOST_NUMBER_BYTES:
        raise PingPongError(_wrong(b"a number", text))
    return int(text)


def _wrong(expected, received):
    return "expected %s and received %r: let both sides speak this protocol, with newlines or without" % (
        expected.decode(),
        received[: 2 * MOST_NUMBER_BYTES],
    )


def send_all(stream, data):
    """Send to the last byte; a stream may take fewer at a time."""
    while data:
        sent = stream.send(data)
        if not sent:
            raise PingPongError("the peer takes no more bytes: look at whether it still reads")
        data = data[sent:]


def play(stream, messages, ticks_ms, ticks_diff, newline=False, verbose=False):
    """Be the client for so many messages; gives the milliseconds from the first message to the last.

    The answer to the last message is waited for behind that span, so that nothing is left unread on the stream.
    """
    numbers = Numbers(stream, newline)
    end = b"\n" if newline else b""
    number = 1
    begin = ticks_ms()
    send_all(stream, b"1" + end)
    for _ in range(messages - 1):
        number = _answer(numbers, number, verbose) + 1
        send_all(stream, str(number).encode() + end)
    took_ms = ticks_diff(ticks_ms(), begin)
    _answer(numbers, number, verbose)
    return took_ms


def _answer(numbers, number, verbose):
    answer = numbers.next(number + 1)
    if answer is None:
        raise PingPongError("the server closed before it answered %d: look at its messages" % number)
    if numbers.has_more():
        raise PingPongError("more than an answer came to %d: one message is under way at a time" % number)
    if verbose:
        print(number, "->", answer)
    return answer


def answer_all(stream, first=1, newline=False, verbose=False):
    """Be the server until the client closes; gives how many numbers were answered.

    ``first`` is the client's first number; None takes whatever comes in the first piece.
    """
    numbers = Numbers(stream, newline)
    end = b"\n" if newline else b""
    expected = None if newline else first
    answered = 0
    while True:
        number = numbers.next(expected)
        if number is None:
            return answered
        send_all(stream, str(number + 1).encode() + end)
        answered += 1
        if verbose:
            print(number, "->", number + 1)
        if not newline:
            expected = number + 2


def rate(messages, took_ms):
    """The result in a sentence."""
    took_ms = max(took_ms, 1)
    return "%d messages in %.3f s: %.1f messages/s" % (messages, took_ms / 1000, 1000 * messages / took_ms)

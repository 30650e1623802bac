//! Replays the corpora of the virtual network's fuzz targets on the stable compiler, makes their seeds, and runs the targets
//! over noise where nothing better is at hand.

#[path = "../../../../fuzz/network/mod.rs"]
#[allow(unreachable_pub, missing_docs)]
mod network;

use proptest::prelude::*;

#[test]
fn every_input_of_every_corpus_does_what_its_name_says() {
    testing::replay(&network::TARGETS);
}

#[test]
fn no_change_of_a_seed_breaks_a_target() {
    testing::run_changed_seeds(&network::TARGETS, 12);
}

// `PROPTEST_CASES` raises how many there are.
proptest! {
    #[test]
    fn no_noise_breaks_a_target(noise in proptest::collection::vec(any::<u8>(), 0..600)) {
        for (_, target) in network::TARGETS {
            let _ = target(&noise);
        }
    }
}

/// On SPI: writes a socket's registers.
fn set(n: u8, offset: u8, bytes: &[u8]) -> Vec<u8> {
    [&[0xC0 | n << 3 | bytes.len() as u8, offset], bytes].concat()
}

/// On SPI: gives a command.
fn command(n: u8, code: u8) -> Vec<u8> {
    vec![0xE0 | n, code]
}

/// A forged segment that goes on where the connection is, with flags and text.
fn segment(flags: u8, text: &[u8]) -> Vec<u8> {
    [&[4, 0, flags, 0, text.len() as u8], text].concat()
}

/// A forged first segment: from port 5000 to port 80.
fn syn() -> Vec<u8> {
    vec![4, 1, 2, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
}

fn datagram(from: u8, to: u8, text: &[u8]) -> Vec<u8> {
    [&[3, from, to, 0, text.len() as u8], text].concat()
}

fn spi_seeds() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let names = ["valid-w5100-client", "valid-w5100s-client", "valid-w5200-client", "valid-w5500-client"];
    let client = |model: u8| {
        let parts = [
            vec![model],
            set(1, 0, &[1]),
            set(1, 4, &[0x10, 0]),
            set(1, 0x0C, &[10, 0, 0, 1]),
            set(1, 0x10, &[0, 80]),
            command(1, 1),
            command(1, 4),
            [&[0xA8][..], &segment(0x12, b"")].concat(),
            set(1, 0x24, &[0, 9]),
            command(1, 0x20),
            [&[0xA8][..], &segment(0x18, b"answer")].concat(),
            set(1, 0x28, &[0, 6]),
            command(1, 0x40),
            vec![0x8F, 0x8F],
            command(1, 8),
            vec![0x8F; 8],
        ];
        parts.concat()
    };
    let mut seeds: Vec<_> =
        (0..).zip(names).map(|(model, name)| ("wiznet_spi", name, client(model))).collect();
    let noise: Vec<u8> = (0..200u32).map(|n| ((n * n * 31) >> 3) as u8).collect();
    seeds.push(("wiznet_spi", "valid-w5500-long-read", [&[3, 0x46, 0, 0, 0x0B][..], &noise].concat()));
    seeds.push(("wiznet_spi", "valid-w5200-lengths", [&[2, 0x46, 0x40, 0, 0x7F, 0xFF][..], &noise].concat()));
    seeds.push((
        "wiznet_spi",
        "valid-record",
        [&[0, 0xA1, 0x03, 0x0F, 0, 1, 0, 0xA1, 0x91, 0x99, 0x98, 0x90][..], &noise].concat(),
    ));
    seeds
}

fn frame_seeds() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let arrives = |frame: Vec<u8>| [vec![0], frame].concat();
    let served = [syn(), segment(0x10, b""), segment(0x18, b"GET / HTTP/1.0\r\n\r\n"), segment(0x11, b"")];
    let served: Vec<u8> = served.into_iter().flat_map(arrives).collect();
    let connected = [segment(0x12, b""), segment(0x18, b"hello"), segment(0x14, b"")];
    let connected: Vec<u8> = connected.into_iter().flat_map(arrives).collect();
    let datagrams: Vec<u8> =
        [datagram(0, 1, b"hello"), datagram(3, 4, &[0; 100])].into_iter().flat_map(arrives).collect();
    let arp: Vec<u8> = [vec![1, 1, 0, 1], vec![1, 2, 1, 0]].into_iter().flat_map(arrives).collect();
    let echo = arrives(vec![2, 8, 0, 0, 0, 1, 2, 3, 4]);
    let driver = [0xCE, 0xCC, 0x20, 0xBC, 0xBD, 0xBE, 0xA8, 34, 0xF0, 3];
    let mut seeds = Vec::new();
    for (name, model, rest) in [
        ("valid-w5100-served", 0, &served),
        ("valid-w5100s-connected", 1, &connected),
        ("valid-w5200-datagrams", 2, &datagrams),
        ("valid-w5500-served", 3, &served),
        ("valid-w5500-arp", 3, &arp),
        ("valid-w5500-echo", 11, &echo),
    ] {
        seeds.push(("wiznet_frames", name, [&[model, 1][..], rest, &driver].concat()));
    }
    seeds.push(("wiznet_frames", "valid-macraw", [&[3, 0][..], &served, &datagrams, &driver].concat()));
    for (name, rest) in [
        ("valid-served", &served),
        ("valid-connected", &connected),
        ("valid-datagrams", &datagrams),
        ("valid-arp", &arp),
        ("valid-echo", &echo),
    ] {
        seeds.push(("pc_frames", name, [&[3][..], rest, &[0xE4]].concat()));
    }
    seeds
}

fn text_seeds() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let texts = [
        ("network_file", "valid-empty", ""),
        (
            "network_file",
            "valid-cable",
            "seed = 7\n[cable]\nspeed = \"10 Mbit/s\"\nimpair = \"loss=1%,delay=5ms\"\nimpair_to_board = \"drop=3\"\n",
        ),
        (
            "network_file",
            "valid-pc",
            "[pc]\naddress = \"192.168.11.1/24\"\nnagle = false\nreceive_time = \"10 us\"\nsend_time = \"1 ms\"\n",
        ),
        ("network_file", "invalid-speed", "[cable]\nspeed = \"1 Gbit/s\"\n"),
        ("network_file", "invalid-address", "[pc]\naddress = \"192.168.11.1/33\"\n"),
        ("network_file", "invalid-traffic", "[traffic.x]\nkind = \"none of these\"\n"),
        ("network_file", "invalid-toml", "[pc\n"),
        (
            "impairments",
            "valid-many",
            "loss=1%,burst_start=0.1%,burst_end=10%,burst_loss=80%,duplicate=0.5%,corrupt=0.1%,bit_errors=1e-7",
        ),
        ("impairments", "valid-late", "delay=10ms,jitter=2ms,jitter_shape=normal,reorder=1%,reorder_by=5ms"),
        ("impairments", "valid-slow", "rate=1Mbit,bucket=15kB,limit=100,drop=3+7"),
        ("impairments", "invalid-name", "los=1%"),
        ("impairments", "invalid-value", "loss=200%"),
    ];
    texts.into_iter().map(|(target, name, text)| (target, name, text.as_bytes().to_vec())).collect()
}

/// TLS 1.2 and 1.3, of which the server takes what it speaks: random numbers, ECDHE over P-256 and X25519, no name.
const CLIENT_HELLO: &[u8] = b"\x16\x03\x01\0\x7c\x01\0\0\x78\x03\x03aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\0\0\x06\x13\x01\xc0\x2b\xc0\x2f\x01\0\
    \0\x49\0\x0a\0\x06\0\x04\0\x1d\0\x17\0\x0d\0\x08\0\x06\x04\x03\x08\x04\x04\x01\0\x2b\0\x05\x04\x03\x04\x03\x03\
    \0\x33\0\x26\0\x24\0\x1d\0\x20bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

fn controller_seeds() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    // W5500 datasheet 2.2.2 and 4.1: block 0, write; SUBR, SHAR and SIPR from 0x0005 on.
    let addressed = [&[0x10, 0, 5, 4, 255, 255, 255, 0, 2, 8, 0xDC, 1, 2, 3, 192, 168, 1, 50][..]].concat();
    let arp =
        [&[0xA0, 0, 42][..], &[255; 6], &[2, 0, 0, 0, 0, 9], b"\x08\x06\0\x01\x08\0\x06\x04\0\x01", &[7; 20]]
            .concat();
    let spoken = [&[0xC0, 0xC1, 1, 0x13, 0x88, 0, 5][..], b"hello", &[0x79, 0xC0]].concat();
    let several = [0x80, 0x82, 0x83, 0x85, 0x88, 10, 10, 0, 0x98, 0x96, 0x80, 0x91, 0x90];
    let seed = |choice: u8, parts: &[&[u8]]| [&[choice][..], &parts.concat()].concat();
    let watched = [0x90, 0x7A, 0x93, 0x91, 0x92, 0x94, 0xF0];
    [
        ("valid-pinged", seed(0x18, &[&[0x76], &addressed, &[0x7A, 0xF0]])),
        ("valid-frames", seed(0x1E, &[&[0x90, 0x76], &addressed, &arp, &watched])),
        ("valid-datagrams", seed(0x1E, &[&[0x76], &addressed, &spoken, &[0xF0]])),
        ("valid-several", seed(0x1D, &[&several, &addressed, &[0x78, 0x79, 0xF0]])),
        ("valid-pulled", seed(0x1A, &[&[0x76], &addressed, &[0xE1, 0x78, 0xE0, 0x78, 0xD1, 0xD0, 0x78]])),
    ]
    .map(|(name, bytes)| ("spi_controller", name, bytes))
    .into()
}

fn word_seeds() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    [
        ("valid-ping", "ping to=board count=10 interval=10ms"),
        ("valid-talk", "talk to=board:7 send=a\\r\\n at=0s,10ms expect=b timeout=1s"),
        ("valid-server", "web kind=http-server size=10KiB port=81"),
        ("valid-ftp", "ftp user=a password=b most_bytes=1MiB"),
        ("invalid-kind", "pong to=board"),
        ("invalid-option", "ping to=board cont=10"),
        ("invalid-value", "mqtt port=0x"),
        ("valid-in-place", "a kind=http-server port=53"),
    ]
    .map(|(name, text)| ("traffic_words", name, text.as_bytes().to_vec()))
    .into()
}

fn server_seeds() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let stream = |server: u8, texts: &[&[u8]]| {
        let mut bytes = vec![server, 0, 0];
        for text in texts {
            bytes.extend([1, text.len() as u8]);
            bytes.extend(*text);
        }
        bytes.extend([6, 0, 7, 0]);
        bytes
    };
    let datagrams = |server: u8, texts: &[&[u8]]| {
        let mut bytes = vec![server];
        for text in texts {
            let [high, low] = (text.len() as u16).to_be_bytes();
            bytes.extend([0x84, high, low]);
            bytes.extend(*text);
        }
        bytes.extend([5, 36]);
        bytes
    };
    let mut discover = [&[1, 1, 6, 0, 1, 2, 3, 4][..], &[0; 20], &[2, 8, 0xDC, 1, 2, 3], &[0; 202]].concat();
    discover.extend([0x63, 0x82, 0x53, 0x63, 53, 1, 1, 55, 3, 1, 3, 6, 255]);
    let mut request = discover.clone();
    request[242] = 3;
    let question = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x02pc\x03lan\0\0\x01\0\x01";
    let connect = b"\x10\x0f\0\x04MQTT\x04\x02\0\x3c\0\x03abc";
    let subscribe = b"\x82\x08\0\x01\0\x03a/b\x01";
    let publish = b"\x32\x09\0\x03a/b\0\x02hi";
    let get = b"\x40\x01\x12\x34\xbb.well-known\x04core";
    let sntp = [&[0x23][..], &[0; 47]].concat();
    let framed = |text: &str| [&(text.len() as u32).to_be_bytes()[..], text.as_bytes()].concat();
    let cookie = [&[b'a'; 36][..], &[0]].concat();
    let parameters = framed(r#"{"tcp":true,"time":1,"num":0,"parallel":1,"len":1000}"#);
    let results = framed(r#"{"sender_has_retransmits":0,"streams":[{"id":1,"bytes":7}]}"#);
    let mqtt_3_1 = b"\x10\x11\0\x06MQIsdp\x03\x02\0\x3c\0\x03abc";
    let upgrade: &[u8] = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    vec![
        ("servers", "valid-dhcp", datagrams(0, &[&discover, &request])),
        ("servers", "valid-dns", datagrams(1, &[question])),
        ("servers", "valid-mqtt", stream(2, &[connect, subscribe, publish, b"\xc0\0", b"\xe0\0"])),
        ("servers", "valid-coap", datagrams(3, &[get, b"\x40\x03\x12\x35\xb1a\xffhello"])),
        (
            "servers",
            "valid-http",
            stream(4, &[b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"HEAD / HTTP/1.0\r\n\r\n"]),
        ),
        ("servers", "valid-iperf-tcp", stream(5, &[&[0; 100]])),
        ("servers", "valid-iperf-udp", datagrams(6, &[&[0; 64], &[0xFF; 64]])),
        ("servers", "valid-sntp", datagrams(7, &[&sntp])),
        ("servers", "valid-echo", stream(8, &[b"echo"])),
        ("servers", "valid-chargen", stream(9, &[b""])),
        ("servers", "valid-pingpong", stream(10, &[b"12\n", b"13\n"])),
        ("servers", "valid-bulk", stream(11, &[&[0x55; 80]])),
        ("servers", "valid-udp", datagrams(12, &[b"41", b"x"])),
        ("servers", "valid-iperf3", stream(13, &[&cookie, &parameters, b"", b"\x04", &results, b"\x10"])),
        ("servers", "valid-ws", stream(14, &[upgrade, b"\x81\x83abcdxyz\x89\x80abcd", b"\x88\x80abcd"])),
        ("servers", "valid-mqtt-3-1", stream(2, &[mqtt_3_1, subscribe, publish, b"\xe0\0"])),
        (
            "servers",
            "valid-ftp",
            stream(15, &[b"USER a\r\nPASS b\r\n", b"PASV\r\nTYPE I\r\nRETR c.bin\r\n", b"QUIT\r\n"]),
        ),
        (
            "servers",
            "valid-ftp-stored",
            stream(15, &[b"USER a\r\nPASS b\r\nPORT 192,168,1,1,19,137\r\nSTOR d\r\n"]),
        ),
        ("servers", "valid-tls-echo", stream(16, &[CLIENT_HELLO])),
        ("servers", "valid-https-1-2", stream(17, &[CLIENT_HELLO])),
        ("servers", "valid-mqtts", stream(18, &[CLIENT_HELLO, b"\x15\x03\x03\0\x02\x02\x28"])),
        ("servers", "valid-http-large", stream(19, &[b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"])),
    ]
}

fn client_seeds() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let told = |client: u8, texts: &[&[u8]]| {
        let mut bytes = vec![client, 0, 0];
        for text in texts {
            bytes.extend([1, text.len() as u8]);
            bytes.extend(*text);
        }
        // The next connection opens, there is room, and time passes.
        bytes.extend([0, 0, 6, 0, 5, 36]);
        bytes
    };
    // The answer to the first key of a client.
    let upgraded: &[u8] = b"HTTP/1.1 101 -\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Accept: iHMz0/J1GsQtRh2NfVC0Q7CZKMQ=\r\n\r\n";
    let page: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\naaab\r\n0\r\n\r\n";
    let answer = [&[3][..], &[0x81, 0, 12, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8], &[5, 36]].concat();
    vec![
        ("clients", "valid-ws", told(0, &[upgraded, b"\x89\x00\x81\x03abc", b"\x88\x02\x03\xe8"])),
        ("clients", "valid-iperf3", told(1, &[b"\x09", b"\x0a", b"\x01\x02"])),
        ("clients", "valid-iperf3-reverse", told(2, &[b"\x09\x0a"])),
        ("clients", "valid-udp", answer),
        ("clients", "valid-http", told(5, &[page, &page[..40]])),
        ("clients", "valid-iperf-dual", told(6, &[b"0123456789"])),
        ("clients", "valid-pingpong", told(7, &[b"2", b"4"])),
        ("clients", "valid-talk", told(8, &[b"aab", b"b"])),
        ("clients", "valid-talk-udp", [&[9][..], &[0x81, 0, 1, b'b'], &[5, 36]].concat()),
        ("clients", "valid-bulk", told(10, &[b"0123"])),
        ("clients", "valid-scan", told(11, &[b"SSH-2.0-a\r\n"])),
    ]
}

#[test]
#[ignore = "writes the seeds to fuzz/corpus; run it after a change of what they should be"]
fn write_the_seeds() {
    for (target, name, bytes) in [
        spi_seeds(),
        frame_seeds(),
        text_seeds(),
        server_seeds(),
        client_seeds(),
        controller_seeds(),
        word_seeds(),
    ]
    .concat()
    {
        testing::write_seeds(target, vec![(name, bytes)]);
    }
}

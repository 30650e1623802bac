//! What a decoder sees at the pins of an I2C that records them.

use mcu::Edge;

use super::*;

/// What a decoder reads from the edges of SDA on GPIO 4 and SCL on GPIO 5.
fn decoded(edges: &[Edge]) -> Vec<String> {
    let (mut sda, mut scl, mut bits) = (true, true, Vec::new());
    let mut words = Vec::new();
    for edge in edges {
        if edge.pin == 5 {
            scl = edge.level;
            if scl {
                bits.push(sda);
            }
            if bits.len() == 9 && !scl {
                let byte = bits[..8].iter().fold(0u8, |byte, &bit| byte << 1 | u8::from(bit));
                words.push(format!("{byte:02x}{}", if bits[8] { "n" } else { "a" }));
                bits.clear();
            }
        } else {
            sda = edge.level;
            if scl {
                words.push(if sda { "P" } else { "S" }.to_owned());
                bits.clear();
            }
        }
    }
    words
}

#[test]
fn recorded_pins_show_start_bytes_acknowledgements_and_stop() {
    let mut bench = Bench::recorded();
    bench.write(IC_ENABLE, 0);
    bench.write(IC_SDA_HOLD, 38);
    bench.write(IC_ENABLE, 1);
    bench.command(&[0xa5, READ, READ | STOP]);
    bench.run();
    bench.target(0x3d);
    bench.command(&[1 | STOP]);
    bench.run();
    let edges = bench.io.pins.take_edges();
    assert!(edges.is_sorted_by_key(|edge| edge.at));
    let expected = "S 78a a5a S 79a 01a 02n P S 7an P";
    assert_eq!(decoded(&edges).join(" "), expected);
    assert_eq!(edges.last().unwrap().at, bench.device.said.lock().unwrap().last().unwrap().0);
}

/// The figures 74, 79 and 80 of the datasheet.
#[test]
fn a_byte_that_was_read_is_acknowledged_as_the_next_command_says() {
    let cases: [(&[u32], &str); 5] = [
        (&[READ | STOP], "S 79a 01a 02n P"),
        (&[READ | RESTART | STOP], "S 79a 01n S 79a 02n P"),
        (&[READ, READ | STOP], "S 79a 01a 02a 03n P"),
        (&[5 | STOP], "S 79a 01n S 78a 05a P"),
        (&[5 | RESTART | STOP], "S 79a 01n S 78a 05a P"),
    ];
    for (commands, expected) in cases {
        let mut bench = Bench::recorded();
        bench.command(&[READ]);
        bench.run();
        assert_eq!(bench.read(IC_RXFLR), 1, "the byte is there");
        assert_eq!(bench.read(IC_STATUS) & 0x21, 0x21, "the bus is held");
        let mut edges = bench.io.pins.take_edges();
        let clock = edges.iter().rfind(|edge| edge.pin == 5).unwrap();
        assert!(!clock.level && clock.at == bench.io.now, "SCL is held low");
        // As the Pico SDK does between two transfers.
        bench.target(0x3c);
        bench.command(commands);
        bench.run();
        edges.extend(bench.io.pins.take_edges());
        assert_eq!(decoded(&edges).join(" "), expected);
    }
}

#[test]
fn an_abort_ends_a_read_that_waits_for_its_acknowledgement() {
    let mut bench = Bench::recorded();
    bench.command(&[READ]);
    bench.run();
    bench.write(IC_ENABLE, 3);
    bench.run();
    assert_eq!(decoded(&bench.io.pins.take_edges()).join(" "), "S 79a 01n P");
    assert_eq!(bench.read(IC_TX_ABRT_SOURCE), ABRT_USER_ABRT);
}

#[test]
fn a_target_that_heard_ten_bits_hears_only_the_first_seven_to_be_read() {
    let cases: [(&[u32], &str); 4] = [
        (&[7, READ | STOP], "S f4a 3ca 07a S f5a 01n P"),
        (&[READ, READ | RESTART | STOP], "S f4a 3ca S f5a 01n S f5a 02n P"),
        (&[READ, 7 | STOP], "S f4a 3ca S f5a 01n S f4a 3ca 07a P"),
        // After a stop it is told all of them again.
        (&[READ | STOP, READ | STOP], "S f4a 3ca S f5a 01n P S f4a 3ca S f5a 02n P"),
    ];
    for (commands, expected) in cases {
        let mut bench = Bench::recorded();
        bench.write(IC_ENABLE, 0);
        bench.write(IC_CON, 0x165 | CON_10BITADDR_MASTER);
        bench.target(0x23c);
        bench.command(commands);
        bench.run();
        assert_eq!(decoded(&bench.io.pins.take_edges()).join(" "), expected);
    }
}

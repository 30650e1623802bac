//! Figures from elsewhere that no model here was fitted on: measurements and sums of others, formulas of datasheets
//! and standards written down a second time. Each test says where its figures are from.

use crate::support::{part_us, program};
use links::{Schedule, Simulation};
use units::Picoseconds;

/// One-way latencies with triggers spread over all phases, in microseconds, shortest first.
fn latencies_us(name: &str, settings: &[(&str, &str)], payload_bytes: u32, samples: u64) -> Vec<f64> {
    let schedule = Schedule::Dithered { period: "10s".parse().unwrap(), by: "1s".parse().unwrap() };
    let program = program(name, settings);
    let run = Simulation::new(program, payload_bytes, &schedule, samples, 19, "published", 0).run();
    let mut latencies: Vec<f64> =
        run.iter().filter_map(|sample| Some((sample.done? - sample.trigger).ps() as f64 / 1e6)).collect();
    latencies.sort_by(f64::total_cmp);
    latencies
}

fn assert_within(share: f64, found: f64, published: f64, what: &str) {
    assert!((found / published - 1.0).abs() <= share, "{what}: {found}, published {published}");
}

mod lora {
    use super::*;

    fn airtime_us(settings: &[(&str, &str)], payload_bytes: u32) -> f64 {
        part_us("lora", settings, payload_bytes, "packet on the air")
    }

    /// What Semtech's AN1200.13 (LoRa modem designer's guide), section 4, computes with, in the note's own names.
    #[derive(Debug, Clone, Copy)]
    struct Note {
        sf: i32,
        bw: f64,
        cr: f64,
        pl: u32,
        h: f64,
        crc: f64,
    }

    impl Note {
        fn airtime_us(self) -> f64 {
            let tsym = 2f64.powi(self.sf) / self.bw;
            // Mandatory where a symbol is longer than 16 ms.
            let de = if tsym > 0.016 { 1.0 } else { 0.0 };
            let tpreamble = (8.0 + 4.25) * tsym;
            let sf = f64::from(self.sf);
            let bits = 8.0 * f64::from(self.pl) - 4.0 * sf + 28.0 + 16.0 * self.crc - 20.0 * self.h;
            let blocks = (bits / (4.0 * (sf - 2.0 * de))).ceil();
            let payload_symb_nb = 8.0 + (blocks * (self.cr + 4.0)).max(0.0);
            (tpreamble + payload_symb_nb * tsym) * 1e6
        }

        fn model_us(self) -> f64 {
            let (sf, bandwidth) = (self.sf.to_string(), (self.bw as u64).to_string());
            let coding_rate = format!("4/{}", 4.0 + self.cr);
            let settings = [
                ("sf", sf.as_str()),
                ("bandwidth", &bandwidth),
                ("coding_rate", &coding_rate),
                ("header", if self.h == 1.0 { "implicit" } else { "explicit" }),
                ("crc", if self.crc == 1.0 { "on" } else { "off" }),
            ];
            airtime_us(&settings, self.pl)
        }
    }

    #[test]
    fn the_airtime_is_an1200_13s_for_every_spreading_factor_bandwidth_and_coding_rate() {
        let widest = 500_000.0;
        let bandwidths = [1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0].map(|part| widest / part);
        for (sf, bw) in (7..=12).flat_map(|sf| bandwidths.map(|bw| (sf, bw))) {
            for (cr, pl) in
                [1.0, 2.0, 3.0, 4.0].into_iter().flat_map(|cr| [1, 2, 12, 51, 222, 255].map(|pl| (cr, pl)))
            {
                for (h, crc) in [(0.0, 1.0), (0.0, 0.0), (1.0, 1.0), (1.0, 0.0)] {
                    let note = Note { sf, bw, cr, pl, h, crc };
                    let (found, expected) = (note.model_us(), note.airtime_us());
                    assert!((found - expected).abs() < 0.5, "{note:?}: {found} us, by the note {expected}");
                }
            }
        }
    }

    #[test]
    fn an_sf12_packet_of_24_bytes_at_4_7_takes_what_radiolibs_user_measured() {
        // jgromes/RadioLib#1801, SX127x: about 1810 ms measured; the library said 1582, which is it without the flag.
        let settings =
            |low_data_rate| [("sf", "12"), ("coding_rate", "4/7"), ("low_data_rate", low_data_rate)];
        assert_within(0.001, airtime_us(&settings("auto"), 24), 1_810_400.0, "with optimisation");
        assert_within(0.001, airtime_us(&settings("off"), 24), 1_581_100.0, "without optimisation");
        let total_us = latencies_us("lora", &settings("auto"), 24, 100)[50];
        assert_within(0.02, total_us, 1_810_000.0, "trigger to done");
    }

    #[test]
    fn an_sf7_packet_of_127_bytes_at_4_7_takes_what_radiolibs_user_measured() {
        // jgromes/RadioLib#570: 285.95 ms at 125 kHz with eight symbols of preamble.
        let settings = [("coding_rate", "4/7")];
        assert_within(0.001, airtime_us(&settings, 127), 285_950.0, "on the air");
        assert_eq!(airtime_us(&settings, 127), 285_952.0);
    }
}

mod bluetooth {
    use super::*;

    /// A notification of 20 bytes fills one PDU of 27 bytes: 4 of L2CAP and 3 of ATT are added.
    const ONE_PDU: [(&str, &str); 2] = [("chunk", "20"), ("data_length", "27")];

    /// How much longer nine PDUs are on the air than one, by PDU.
    fn exchange_us(changes: &[(&str, &str)]) -> f64 {
        let settings: Vec<_> = ONE_PDU.iter().chain(changes).copied().collect();
        let on_air = |pdus: u32| part_us("nrf52840-ble", &settings, 20 * pdus, "PDUs on the air");
        (on_air(9) - on_air(1)) / 8.0
    }

    #[test]
    fn a_pair_of_packets_at_1m_takes_the_708_us_of_cypress() {
        // Cypress Project 024 and Memfault's throughput primer: 328 us of data, 150, 80 us of answer, 150.
        assert_within(0.001, exchange_us(&[("phy", "1M"), ("encrypted", "on")]), 708.0, "a pair");
    }

    #[test]
    fn a_full_pdu_without_integrity_code_takes_the_676_us_that_a_sniffer_saw() {
        // The sniffer capture beside the published NimBLE runs.
        assert_within(0.001, exchange_us(&[("phy", "1M")]), 676.0, "an exchange");
    }

    #[test]
    fn exchanges_have_the_packet_lengths_of_the_core_specification() {
        // Core Specification 5.4, Vol 6 Part B, 2.1 and 2.2: preamble 1 or 2, access address 4, header 2, CRC 3 bytes.
        for (phy, preamble_bytes, us_per_byte) in [("1M", 1, 8), ("2M", 2, 4)] {
            for (encrypted, integrity_bytes) in [("off", 0), ("on", 4)] {
                let packet = |bytes| us_per_byte * (preamble_bytes + 4 + 2 + bytes + 3);
                let expected = packet(27 + integrity_bytes) + 150 + packet(0) + 150;
                let found = exchange_us(&[("phy", phy), ("encrypted", encrypted)]);
                assert!((found - f64::from(expected)).abs() < 0.001, "{phy}, {encrypted}: {found}");
            }
        }
    }

    #[test]
    fn ten_pairs_and_no_more_fit_between_two_events_7_5_ms_apart() {
        // 10 x 708 us and the last gap are 7.08 ms; Cypress counts 9, as its controller keeps 1.25 ms free.
        let waits_us = |pairs: u32| {
            let connection = [("connection_interval", "7.5 ms"), ("phy", "1M"), ("encrypted", "on")];
            let settings: Vec<_> = ONE_PDU.into_iter().chain(connection).collect();
            part_us("nrf52840-ble", &settings, 20 * pairs, "wait for a further connection event")
        };
        assert_eq!(waits_us(10), 0.0);
        assert!(waits_us(11) > 0.0);
    }
}

mod uart {
    use super::*;

    #[test]
    fn characters_are_found_evenly_within_one_bit() {
        // The public captures: the transmitter's prescaler runs freely. BRR for 16 samples a bit (ST RM0090, 30.3.4)
        // and a bus of 42 MHz give the bits of the five rates.
        for (baud, divider) in
            [("115200", 364.0), ("230400", 182.0), ("460800", 91.0), ("921600", 45.0), ("1843200", 23.0)]
        {
            let latencies = latencies_us("uart", &[("baud", baud)], 12, 4_000);
            let spread = latencies[latencies.len() - 1] - latencies[0];
            // A sixteenth of the bit for the receiver's sampling, and what the interrupt takes to begin.
            let bit = divider / 42.0;
            assert!((bit * 0.99..bit * 1.0625 + 0.2).contains(&spread), "{baud}: {spread}, a bit is {bit}");
            let middle = latencies[latencies.len() / 2] - latencies[0];
            assert_within(0.1, middle, spread / 2.0, baud);
        }
    }

    #[test]
    fn characters_take_ten_bits_at_the_nominal_rate_to_within_what_receivers_tolerate() {
        // A receiver samples in the middle of a bit: 8N1 is read wrong where a character is half a bit in ten off.
        for baud in [9_600.0, 19_200.0, 57_600.0, 115_200.0, 230_400.0, 460_800.0, 921_600.0, 1_843_200.0] {
            let settings = [("baud", &*baud.to_string())];
            let found = part_us("uart", &settings, 1000, "characters on the wire");
            assert_within(0.05, found, 1000.0 * 10.0 / baud * 1e6, settings[0].1);
        }
    }
}

mod ieee802154 {
    use super::*;

    const SYMBOL_US: f64 = 16.0;

    #[test]
    fn a_frame_has_two_symbols_a_byte_for_every_length() {
        // IEEE 802.15.4-2020, 12.1.3 and 12.2.2: 4 bits a symbol; preamble 4, SFD 1, length 1; 9 header, 2 check.
        for payload_bytes in 1..=116 {
            let found = part_us("ieee802154", &[], payload_bytes, "frame on the air");
            let bits = 8.0 * (4.0 + 1.0 + 1.0 + 9.0 + f64::from(payload_bytes) + 2.0);
            assert_eq!(found, bits / 4.0 * SYMBOL_US, "{payload_bytes} B");
        }
    }

    #[test]
    fn no_frame_is_longer_than_the_standards_127_bytes() {
        // aMaxPhyPacketSize, with six bytes before it: 266 symbols.
        assert_eq!(part_us("ieee802154", &[], 116, "frame on the air"), 266.0 * SYMBOL_US);
        let two = part_us("ieee802154", &[], 117, "frame on the air");
        assert_eq!(two, (266.0 + 2.0 * (6.0 + 9.0 + 1.0 + 2.0)) * SYMBOL_US);
    }

    #[test]
    fn the_channel_is_reached_after_back_offs_of_20_symbols_and_an_assessment_of_8() {
        // aUnitBackoffPeriod, macMinBE, CCA of 8 symbols, aTurnaroundTime of 12 (IEEE 802.15.4-2020, 6.2.5 and 11.3).
        for (min_be, mean_units) in [("0", 0.0), ("1", 0.5), ("2", 1.5), ("3", 3.5)] {
            let settings = [("min_be", min_be)];
            let found = part_us("ieee802154", &settings, 12, "random back-off");
            assert_eq!(found, mean_units * 20.0 * SYMBOL_US, "{min_be}");
            assert_eq!(part_us("ieee802154", &settings, 12, "clear channel assessment"), 8.0 * SYMBOL_US);
            assert_eq!(part_us("ieee802154", &settings, 12, "turnaround before sending"), 12.0 * SYMBOL_US);
        }
    }

    #[test]
    fn a_blind_frame_without_contention_is_its_air_alone() {
        let settings = [("csma", "off"), ("ack", "off")];
        let latencies = latencies_us("ieee802154", &settings, 12, 100);
        assert!(latencies.iter().all(|&latency| latency == 928.0), "{latencies:?}");
    }
}

mod nrf24 {
    use super::*;

    #[test]
    fn a_packet_has_the_bits_of_enhanced_shockburst_at_all_three_rates() {
        // nRF24L01+ product specification 1.0, 7.3: preamble 1, address 3 to 5, 9 bits of control, payload, CRC 1 or 2.
        for (rate, bits_per_us) in [("250k", 0.25), ("1M", 1.0), ("2M", 2.0)] {
            for (address, address_bytes) in [("3", 3.0), ("4", 4.0), ("5", 5.0)] {
                for (crc, crc_bytes) in [("1", 1.0), ("2", 2.0)] {
                    for payload_bytes in [1, 9, 32] {
                        let settings =
                            [("rate", rate), ("address", address), ("crc", crc), ("padded", "off")];
                        let bytes = 1.0 + address_bytes + f64::from(payload_bytes) + crc_bytes;
                        let found = part_us("nrf24", &settings, payload_bytes, "packet on the air");
                        assert_eq!(
                            found,
                            (8.0 * bytes + 9.0) / bits_per_us,
                            "{settings:?}, {payload_bytes} B"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn an_acknowledgement_is_a_packet_without_payload_after_130_us() {
        // The same, 7.4.1 and 6.1.7: 57 bits with three bytes of address. What is left is the receiver's detection,
        // a fixed number of bits at any rate.
        let exchange = |rate| part_us("nrf24", &[("rate", rate)], 64, "acknowledgement");
        let bits = |rate, bits_per_us: f64| (exchange(rate) - 130.0) * bits_per_us;
        let found = [bits("250k", 0.25), bits("1M", 1.0), bits("2M", 2.0)];
        assert!(found.iter().all(|&bits| (57.0..70.0).contains(&bits)), "{found:?}");
        assert!(found.iter().all(|&bits| (bits - found[0]).abs() < 0.001), "{found:?}");
    }

    #[test]
    fn nine_bytes_at_1_mbit_s_are_on_the_air_as_long_as_in_a_published_breakdown() {
        // nRF24/RF24#474: 1185 us for a whole cycle, of which 250 are the library's delay, 150 air and 130 settling;
        // the rest is the Arduino's SPI, which is faster here.
        let settings = [("rate", "1M"), ("address", "5"), ("padded", "off"), ("acknowledge", "off")];
        assert_within(0.1, part_us("nrf24", &settings, 9, "packet on the air"), 150.0, "air");
        assert_within(0.1, part_us("nrf24", &settings, 9, "sender's radio starts"), 130.0, "settling");
        let latencies = latencies_us("nrf24", &settings, 9, 200);
        let longest = latencies[latencies.len() - 1];
        assert!((280.0..1_185.0 - 250.0).contains(&longest), "{longest}");
    }
}

mod wifi_and_bluetooth_classic {
    use super::*;

    #[test]
    fn esp_now_frames_take_what_the_published_analysis_computes() {
        // 24 header, 1+3+4 and 7 of vendor elements, 4 check, 16 CCMP after 192 us of long preamble at 1 Mbit/s.
        for (payload_bytes, milliseconds) in [(12, 0.76), (128, 1.69), (250, 2.66)] {
            let found = part_us("espnow", &[], payload_bytes, "frame on the air") / 1e3;
            assert!((found - milliseconds).abs() < 0.005, "{payload_bytes} B: {found}");
        }
    }

    #[test]
    fn a_five_slot_exchange_takes_3_75_ms() {
        // Core Specification 5.3, Vol 2 Part B, 6.5: six slots of 625 us with the answer.
        let mut spp = program("esp32-spp", &[]);
        let openings: Vec<Picoseconds> =
            spp.gates().iter().filter(|gate| gate.name() == "slots").map(|gate| gate.period()).collect();
        assert_eq!(openings, [Picoseconds::from_ns(6 * 625_000)]);
    }

    #[test]
    fn a_sleeping_station_hears_of_its_frames_with_the_beacon_102_4_ms_apart() {
        // 100 time units of 1.024 ms (IEEE 802.11-2016, 9.4.1.3): the captures' latencies are even over one of them.
        let settings = [("tick", "none"), ("site", "quiet"), ("frame_error", "0")];
        let latencies = latencies_us("esp32-wifi-udp", &settings, 12, 20_000);
        let at = |share: f64| latencies[(share * latencies.len() as f64) as usize];
        assert_within(0.03, at(0.9) - at(0.1), 0.8 * 102_400.0, "80 % of the beacon interval");
    }
}

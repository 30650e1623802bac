//! Board files: what they give, and one sentence with file and line for whatever is wrong with one.

use std::path::Path;

use board::{BoardError, BoardFile, board_names, board_schema, chip_kinds, find_board};
use fields::Value;
use units::Picoseconds;

fn parse(text: &str) -> Result<BoardFile, BoardError> {
    BoardFile::parse(Path::new("boards/my.toml"), text)
}

fn sentence(text: &str) -> String {
    parse(text).expect_err("something is wrong").to_string()
}

#[test]
fn every_board_that_comes_along_is_right() {
    for name in board_names() {
        let board = find_board(name).unwrap();
        // That of a Pico W is on its radio: a net behind the 30 pins of the RP2040.
        let led = match name {
            "w55rp20-evb-pico" => 19,
            "pico-w" => 30,
            // Arduino's LED is on D13: PB5, and PB7 of the larger chips.
            name if name.starts_with("arduino-uno") => 5,
            name if name.starts_with("arduino-mega") => 9,
            name if name.starts_with("goldilocks") => 15,
            _ => 25,
        };
        assert_eq!((board.name.as_str(), board.pin("LED").unwrap()), (name, led));
    }
    let parts = find_board("w5500-evb-pico").unwrap().parts;
    let w5500 = parts.iter().find(|part| part.name == "W5500").unwrap();
    assert_eq!((w5500.kind(), w5500.value("spi")), ("w5500", Some(&Value::Integer(0))));
    let pins = ["select", "reset", "interrupt", "clock", "mosi", "miso"].map(|pin| w5500.value(pin).cloned());
    assert_eq!(pins, [17, 20, 21, 18, 19, 16].map(|pin| Some(Value::Pin(pin))));
}

#[test]
fn parts_with_more_outputs_than_a_board_has_room_for_are_refused() {
    let radio = |n: usize| {
        format!("[chips.radio{n}]\nkind = 'cyw43439'\npower = 1\ndata = 2\nselect = 3\nclock = 4\n")
    };
    let text = |count| (0..count).fold("mcu = 'rp2040'\n".to_owned(), |text, n| text + &radio(n));
    assert_eq!(parse(&text(2)).unwrap().pins.len(), 2);
    assert!(
        sentence(&text(3)).ends_with("chips have 3 outputs beside the pins, but a board has room for 2"),
        "{}",
        sentence(&text(3))
    );
}

#[test]
fn pins_have_names_numbers_and_gp_numbers() {
    let board = parse("mcu = 'rp2040'\n[pins]\nLED = 25\n'Status lamp' = 25\n").unwrap();
    for name in ["LED", "Status lamp", "25", "GP25", "GPIO25"] {
        assert_eq!(board.pin(name).unwrap(), 25, "{name}");
    }
    assert_eq!(board.pin_name(25), "LED");
    assert_eq!(board.pin_name(3), "GP3");
    assert_eq!(board.pin("LEDD").unwrap_err().to_string(), "board my has no pin LEDD; the nearest is LED");
}

#[test]
fn fields_that_are_not_given_have_their_defaults() {
    let board = parse("mcu = 'RP2040'\n[chips.memory]\nkind = 'i2c-eeprom'\ni2c = 1\n").unwrap();
    assert_eq!((board.crystal_hz, board.flash_bytes), (12_000_000, 2 << 20));
    let memory = &board.parts[0];
    assert_eq!(memory.kind(), "i2c-eeprom");
    let expected = [("i2c", 1), ("address", 0x50), ("bytes", 32768), ("page_bytes", 64)];
    for (field, number) in expected {
        assert_eq!(memory.value(field), Some(&Value::Integer(number)), "{field}");
    }
    assert_eq!(memory.value("write_time"), Some(&Value::Time(Picoseconds::new(5_000_000_000))));
}

#[test]
fn what_is_wrong_with_a_board_file_is_one_sentence_with_its_line() {
    let cases = [
        ("", "1: mcu is missing: write mcu = \"rp2040\""),
        (
            "mcu = 'rp2350'\n",
            "1: mcu is \"rp2350\", but it is one of rp2040, atmega328p, atmega1284p, atmega2560; the nearest is rp2040",
        ),
        ("mcu = 'rp2040'\nclock = 1\n", "2: clock: there is no such field; there are name, title"),
        ("mcu = 'rp2040\n", "1: this is not TOML"),
        ("mcu = 'rp2040'\ncrystal = '50 MHz'\n", "2: crystal is 50 MHz, but the RP2040's oscillator takes"),
        ("mcu = 'rp2040'\ncrystal = 12\n", "2: crystal is 12, but it takes a text in quotes"),
        ("mcu = 'rp2040'\nflash = '3 MiB'\n", "2: flash is 3 MiB, but it takes a power of two"),
        ("mcu = 'rp2040'\n[pins]\nLED = 30\n", "3: pins.LED is 30, but it takes a whole number from 0 to 29"),
        ("mcu = 'rp2040'\n[pins]\nGP3 = 4\n", "3: pins.\"GP3\": a name of a pin is no number"),
        ("mcu = 'rp2040'\n[chips.x]\npin = 3\n", "2: chips.x.kind is missing: it is one of led, button"),
        ("mcu = 'rp2040'\n[chips.x]\nkind = 'ledd'\n", "3: chips.x.kind is \"ledd\", but it is one of"),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'led'\n",
            "2: chips.x.pin is missing: it is the pin that drives it",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'led'\npin = 'LED'\n",
            "4: chips.x.pin is \"LED\", but [pins] has no such",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'led'\npinn = 3\n",
            "4: chips.x.pinn: there is no such field; the nearest is pin",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'wire'\npin = 3\nto = 3\n",
            "2: chips.x.to is GPIO 3, the same pin",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'voltage'\npin = 3\nmillivolts = 5\n",
            "4: chips.x.pin is 3, but it takes a pin with an ADC input: GPIO 26 to 29",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'button'\npin = 3\npull = 'sideways'\n",
            "5: chips.x.pull is \"sideways\", but it takes one of up, down, none",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'i2c-eeprom'\ni2c = 0\nbytes = 3000\n",
            "2: chips.x.bytes is 3000, but it takes a power of two",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'i2c-eeprom'\ni2c = 0\nwrite_time = '2 s'\n",
            "5: chips.x.write_time is \"2 s\", but it takes a time from 0 s to",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'w5500'\nspi = 0\nselect = 17\nclock = 18\nmosi = 19\nmiso = 19\n",
            "7: chips.x.mosi is GP19, which miso is as well; give each a pin of its own",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'w5500'\nspi = 0\nselect = 17\n[chips.y]\nkind = 'w5100s'\nspi = 0\nselect = 17\n",
            "6: chips.y.select is GP17, which chips.x has on the same SPI port; give each a pin of its own",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'w5500'\nspi = 1\nselect = 17\nclock = 18\nmosi = 19\nmiso = 16\n",
            "6: chips.x.clock is GP18, which is SCK of SPI0, but spi is 1; write spi = 0, or take GP10, GP14 or GP26 for SPI1",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'w6100'\nspi = 0\nclock = 18\nmosi = 19\nmiso = 8\n",
            "7: chips.x.miso is GP8, which is MISO of SPI1, but spi is 0; write spi = 1, or take GP0, GP4, GP16 or GP20 for SPI0",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'w5500'\nspi = 0\nmosi = 16\n",
            "5: chips.x.mosi is GP16, which is MOSI of no SPI, but spi is 0; take GP3, GP7, GP19 or GP23 for SPI0, or leave",
        ),
        (
            "mcu = 'atmega328p'\n[chips.x]\nkind = 'w5500'\nspi = 1\n",
            "4: chips.x.spi is 1, but the ATmega328P has SPI0 alone; write spi = 0",
        ),
        (
            "mcu = 'atmega328p'\n[chips.x]\nkind = 'w5500'\nspi = 0\nclock = 4\n",
            "5: chips.x.clock is PB4, which is SCK of no SPI, but spi is 0; take PB5 for SPI0, or leave",
        ),
        (
            "mcu = 'atmega1284p'\n[chips.x]\nkind = 'spi-loopback'\nspi = 1\n",
            "4: chips.x.spi is 1, but the ATmega1284P has SPI0 alone; write spi = 0",
        ),
        (
            "mcu = 'atmega2560'\n[chips.x]\nkind = 'i2c-eeprom'\ni2c = 1\n",
            "4: chips.x.i2c is 1, but the ATmega2560 has I2C0 alone; write i2c = 0",
        ),
        (
            "mcu = 'atmega2560'\n[chips.x]\nkind = 'ideal-mac'\ninterrupt = 1\n",
            "3: chips.x.kind is ideal-mac, for whose registers the ATmega2560 has no place; leave this chip out",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'lan8720'\nclock = 22\nrxd0 = 6\ntxd0 = 10\nmdio = 14\nmdc = 15\n",
            "4: chips.x.clock is GP22, which is no clock output; take GP21, GP23, GP24 or GP25",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'lan8720'\nclock = 21\nrefclko = 20\nrxd0 = 6\ntxd0 = 10\nmdio = 14\nmdc = 15\n",
            "5: chips.x.refclko is GP20, but clock is GP21; the reference clock goes one way, so leave one of them out",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'lan8720'\nrxd0 = 6\ntxd0 = 10\nmdio = 14\nmdc = 15\n",
            "3: chips.x.kind is lan8720, which needs a reference clock; give clock or refclko",
        ),
        (
            "mcu = 'atmega2560'\n[chips.x]\nkind = 'lan8720'\nrefclko = 2\nrxd0 = 6\ntxd0 = 10\nmdio = 14\nmdc = 15\n",
            "4: chips.x.refclko is PB0, but the ATmega2560 takes no chip's clock; leave this chip out",
        ),
        (
            "mcu = 'atmega2560'\n[chips.x]\nkind = 'lan8720'\nclock = 2\nrxd0 = 6\ntxd0 = 10\nmdio = 14\nmdc = 15\n",
            "4: chips.x.clock is PB0, but the ATmega2560 gives no chip a clock; leave this chip out",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'lan8720'\nclock = 21\nrxd0 = 28\ntxd0 = 10\nmdio = 14\nmdc = 15\n",
            "5: chips.x.rxd0 is GP28, and two pins more follow it; give one up to GP27",
        ),
        (
            "mcu = 'rp2040'\n[chips.x]\nkind = 'lan8720'\nclock = 21\nrxd0 = 6\ntxd0 = 8\nmdio = 14\nmdc = 15\n",
            "5: chips.x.rxd0 is GP6, and its row goes on to GP8, but txd0 is GP8; give each pins of its own",
        ),
        ("mcu = 'rp2040'\nchips = 3\n", "2: chips is 3, but it takes a table, such as [chips]"),
    ];
    for (text, says) in cases {
        let sentence = sentence(text);
        assert!(sentence.starts_with(&format!("boards/my.toml:{says}")), "{text:?} gives {sentence:?}");
        assert!(!sentence.contains('\n'));
    }
}

#[test]
fn an_unknown_board_is_told_what_there_is() {
    let sentence = |name: &str| find_board(name).unwrap_err().to_string();
    assert_eq!(sentence("pica"), "there is no board pica; the nearest is pico");
    assert!(
        sentence("stm32f429-discovery")
            .starts_with("there is no board stm32f429-discovery; there are pico, ")
    );
    assert!(sentence("no/such.toml").starts_with("no/such.toml: cannot read this board file: "));
}

#[test]
fn the_schema_has_every_kind_with_its_fields() {
    let schema = board_schema();
    let chips = schema["properties"]["chips"]["additionalProperties"]["oneOf"].as_array().unwrap();
    let kinds = chip_kinds();
    assert_eq!(chips.len(), kinds.as_array().unwrap().len());
    for (chip, kind) in chips.iter().zip(kinds.as_array().unwrap()) {
        assert_eq!(chip["properties"]["kind"]["const"], kind["name"]);
        for field in kind["fields"].as_array().unwrap() {
            assert!(chip["properties"].get(field["name"].as_str().unwrap()).is_some());
        }
    }
}

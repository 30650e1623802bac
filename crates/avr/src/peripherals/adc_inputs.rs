//! What the multiplexer of the ADC selects, by chip: one input, the difference of two, or a voltage of the chip's own; and what a
//! conversion makes of it. ATmega328P: 4 bits of MUX, and a sensor of temperature. ATmega1284P: 5 bits, with differences.
//! ATmega2560: MUX5 in ADCSRB as well, and 16 inputs (ATmega2560 datasheet 2549K, Tables 128 and 129; ATmega1284P datasheet
//! DS40002070A, Table 23-3). The differences of ADC8 to ADC15 are inferred from those of ADC0 to ADC7, eight further on.
//!
//! Left out: the offset and the noise of the gain stage, and its slower first conversion.

/// AVCC, and AREF for want of another.
const SUPPLY_UV: i64 = 5_000_000;
const BAND_GAP_UV: i64 = 1_100_000;
const REFERENCE_UV: i64 = 2_560_000;
/// The sensor of temperature at 25 degrees (ATmega328P datasheet, "Temperature Measurement").
const TEMPERATURE_UV: i64 = 314_000;
/// Where an input that is open floats to, for want of anything better.
const OPEN_UV: i64 = 0;
const STEPS: i64 = 1024;
/// MUX5, as `Selection` has it.
const MUX5: u16 = 1 << 8;
const MUX: u16 = 0x1f;

/// REFS1:0, ADLAR and MUX4:0 as in ADMUX, with MUX5 above them.
pub(crate) type Selection = u16;

/// The registers of a conversion as one number.
pub(crate) fn selection(multiplexer: u8, control_b: u8) -> Selection {
    u16::from(multiplexer) | (u16::from(control_b) << 5 & MUX5)
}

/// Which inputs a chip's ADC has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdcInputs {
    /// Eight, and a sensor of temperature.
    WithSensor,
    /// Eight, and differences of them.
    WithDifferences,
    /// Sixteen, and differences of them.
    Sixteen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Channel(u8),
    Difference { plus: u8, minus: u8, gain: i64 },
    Own(i64),
}

impl AdcInputs {
    /// The result of a conversion, by the voltages at the inputs in microvolts.
    pub(crate) fn convert(self, selected: Selection, mut at: impl FnMut(u8) -> Option<i32>) -> u16 {
        let mut level = |channel: u8| at(channel).map_or(OPEN_UV, i64::from);
        let reference = self.reference_uv(selected);
        let single = |microvolts: i64| (microvolts * STEPS / reference).clamp(0, STEPS - 1);
        let steps = match self.input(selected) {
            Input::Channel(channel) => single(level(channel)),
            Input::Own(microvolts) => single(microvolts),
            Input::Difference { plus, minus, gain } => {
                let difference = (level(plus) - level(minus)) * gain * (STEPS / 2) / reference;
                difference.clamp(-STEPS / 2, STEPS / 2 - 1) & (STEPS - 1)
            }
        };
        steps as u16
    }

    fn reference_uv(self, selected: Selection) -> i64 {
        match (selected >> 6 & 3, self) {
            (3, Self::WithSensor) | (2, _) => BAND_GAP_UV,
            (3, _) => REFERENCE_UV,
            _ => SUPPLY_UV,
        }
    }

    fn input(self, selected: Selection) -> Input {
        if self == Self::WithSensor {
            return match selected & 0x0f {
                8 => Input::Own(TEMPERATURE_UV),
                14 => Input::Own(BAND_GAP_UV),
                15 => Input::Own(0),
                channel => Input::Channel(channel as u8),
            };
        }
        let first = if self == Self::Sixteen && selected & MUX5 != 0 { 8 } else { 0 };
        let difference =
            |plus: u8, minus: u8, gain| Input::Difference { plus: first + plus, minus: first + minus, gain };
        match (selected & MUX) as u8 {
            channel @ 0..=7 => Input::Channel(first + channel),
            // Two inputs against the first or the third of them, ten times and two hundred times.
            amplified @ 8..=15 => {
                let minus = amplified >> 2 & 1;
                let gain = if amplified & 2 == 0 { 10 } else { 200 };
                difference(2 * minus + (amplified & 1), 2 * minus, gain)
            }
            plain @ 16..=23 => difference(plain - 16, 1, 1),
            plain @ 24..=29 => difference(plain - 24, 2, 1),
            30 => Input::Own(BAND_GAP_UV),
            _ => Input::Own(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half a volt more at each channel than at the one before.
    fn half_volts(channel: u8) -> Option<i32> {
        Some(i32::from(channel) * 500_000)
    }

    fn read(inputs: AdcInputs, multiplexer: u8, control_b: u8) -> u16 {
        inputs.convert(selection(multiplexer, control_b), half_volts)
    }

    #[test]
    fn channel_8_is_the_sensor_of_temperature_where_there_is_one() {
        // 314 mV of 1.1 V.
        assert_eq!(read(AdcInputs::WithSensor, 0xc8, 0), 292);
        assert_eq!(read(AdcInputs::WithSensor, 0x48, 0), 64);
    }

    #[test]
    fn channel_8_is_an_input_against_itself_where_there_are_differences() {
        for inputs in [AdcInputs::WithDifferences, AdcInputs::Sixteen] {
            assert_eq!([0x48, 0x4a, 0x4c, 0x51].map(|mux| read(inputs, mux, 0)), [0; 4]);
        }
    }

    #[test]
    fn mux5_selects_the_inputs_from_8_to_15() {
        assert_eq!([0, 1, 7].map(|mux| read(AdcInputs::Sixteen, 0x40 | mux, 0x08)), [819, 921, 1023]);
        assert_eq!(read(AdcInputs::Sixteen, 0x41, 0), 102);
        assert_eq!(read(AdcInputs::WithDifferences, 0x41, 0x08), 102);
    }

    #[test]
    fn differences_have_a_sign_and_a_gain() {
        let tenths = |channel: u8| Some(i32::from(channel) * 10_000);
        let read = |mux: u8| AdcInputs::WithDifferences.convert(selection(0x40 | mux, 0), tenths);
        // ADC1 against ADC0, ten times: 100 mV of 5 V in 512 steps.
        assert_eq!(read(0b01001), 10);
        // ADC3 against ADC2, two hundred times: 2 V.
        assert_eq!(read(0b01111), 204);
        // ADC0 against ADC2, once: -20 mV, two steps below nothing.
        assert_eq!(read(0b11000), 1022);
    }

    #[test]
    fn references_are_those_of_the_chip() {
        for (inputs, expected) in [
            (AdcInputs::WithSensor, [204, 204, 930, 930]),
            (AdcInputs::WithDifferences, [204, 204, 930, 400]),
            (AdcInputs::Sixteen, [204, 204, 930, 400]),
        ] {
            assert_eq!(
                [0, 1, 2, 3].map(|reference| read(inputs, reference << 6 | 2, 0)),
                expected,
                "{inputs:?}"
            );
        }
    }

    #[test]
    fn the_band_gap_and_ground_are_the_last_two() {
        assert_eq!([0x4e, 0x4f].map(|mux| read(AdcInputs::WithSensor, mux, 0)), [225, 0]);
        assert_eq!([0x5e, 0x5f].map(|mux| read(AdcInputs::Sixteen, mux, 0)), [225, 0]);
    }
}

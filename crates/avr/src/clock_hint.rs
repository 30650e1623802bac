//! Whether an image seems to be built for another clock than the one it runs at (F_CPU): what it divides the clock by for its serial
//! line gives an unusual rate here, and a usual one at another clock. It can only be guessed: an image does not say its clock.

use crate::chip::Avr;

/// Clocks of boards, the more frequent first.
const CLOCKS_HZ: [u64; 11] = [
    16_000_000, 8_000_000, 20_000_000, 12_000_000, 22_118_400, 18_432_000, 14_745_600, 11_059_200, 7_372_800,
    3_686_400, 1_000_000,
];
/// Rates that images use, MIDI's and DMX's among them.
const USUAL_BAUD: [u64; 18] = [
    9_600, 14_400, 19_200, 28_800, 31_250, 38_400, 57_600, 74_880, 76_800, 115_200, 230_400, 250_000,
    460_800, 500_000, 921_600, 1_000_000, 1_500_000, 2_000_000,
];
/// Those of old devices: half of a usual one may be meant as well.
const SLOW_BAUD: [u64; 5] = [300, 600, 1_200, 2_400, 4_800];
/// The divider of 8 MHz that is nearest to 115200 baud is 3.5 % off.
const MOST_OFF_PERMILLE: u64 = 40;
/// Where its results are good (datasheets, "Prescaling and Conversion Timing"); a divider is chosen for the greatest of them.
const LEAST_ADC_HZ: u64 = 100_000;

/// What is to be said of it, in a sentence.
pub(crate) fn notes(avr: &Avr) -> Vec<String> {
    let devices = &avr.io.devices;
    let hz = devices.clock.hz();
    let adc_hz = devices.adc.clock_division().map(|division| hz / division);
    let sent = devices.usarts.iter().enumerate();
    let mut hints = sent.filter_map(|(number, usart)| {
        let bit_cycles = usart.sent_bit_cycles()?;
        let other_hz = another_clock(hz, bit_cycles, adc_hz)?;
        Some(format!(
            "The image seems to be built for {} MHz: here, at {} MHz, USART{number} sends at {} baud instead of {}, and its delays \
             are off as much",
            megahertz(other_hz),
            megahertz(hz),
            hz / bit_cycles,
            nearest(other_hz / bit_cycles, &USUAL_BAUD)?
        ))
    });
    hints.next().into_iter().collect()
}

/// The clock at which so many cycles a bit are more plausible than at this one.
fn another_clock(hz: u64, bit_cycles: u64, adc_hz: Option<u64>) -> Option<u64> {
    let baud = hz / bit_cycles;
    let would_be = |other: u64| nearest(other / bit_cycles, &USUAL_BAUD).is_some();
    let mut others = CLOCKS_HZ.into_iter().filter(|other| other.abs_diff(hz) * 1000 > hz * MOST_OFF_PERMILLE);
    let adc_is_slow = adc_hz.is_some_and(|adc| adc < LEAST_ADC_HZ);
    if nearest(baud, &USUAL_BAUD).is_some() && !adc_is_slow {
        return None;
    }
    let is_plausible = nearest(baud, &USUAL_BAUD).or(nearest(baud, &SLOW_BAUD)).is_some();
    others.find(|&other| would_be(other) && (!is_plausible || other == 2 * hz))
}

fn nearest(baud: u64, rates: &[u64]) -> Option<u64> {
    rates.iter().copied().find(|rate| rate.abs_diff(baud) * 1000 <= rate * MOST_OFF_PERMILLE)
}

/// In as many digits as it has.
fn megahertz(hz: u64) -> String {
    let text = format!("{}.{:06}", hz / 1_000_000, hz % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MHZ: u64 = 1_000_000;

    /// Cycles of a bit as Arduino's core sets them, at double speed.
    fn bit_cycles(hz: u64, baud: u64) -> u64 {
        8 * ((hz / 4 / baud - 1) / 2 + 1)
    }

    #[test]
    fn an_image_at_its_own_clock_says_nothing() {
        for hz in [8 * MHZ, 16 * MHZ, 22_118_400] {
            for baud in [9_600, 19_200, 38_400, 57_600, 115_200, 250_000, 500_000] {
                assert_eq!(
                    another_clock(hz, bit_cycles(hz, baud), Some(125_000)),
                    None,
                    "{hz} Hz, {baud} baud"
                );
            }
        }
    }

    #[test]
    fn a_rate_that_nobody_uses_tells_the_clock_that_was_meant() {
        for baud in [9_600, 115_200] {
            assert_eq!(another_clock(22_118_400, bit_cycles(16 * MHZ, baud), None), Some(16 * MHZ), "{baud}");
        }
        assert_eq!(another_clock(12 * MHZ, bit_cycles(16 * MHZ, 9_600), None), Some(16 * MHZ));
    }

    #[test]
    fn a_clock_of_half_the_frequency_is_told_by_a_slow_rate_or_by_a_slow_adc() {
        assert_eq!(another_clock(8 * MHZ, bit_cycles(16 * MHZ, 9_600), None), Some(16 * MHZ));
        // 57600 baud are as usual as 115200.
        let fast = bit_cycles(16 * MHZ, 115_200);
        assert_eq!(another_clock(8 * MHZ, fast, None), None);
        // Arduino's core divides 16 MHz by 128.
        assert_eq!(another_clock(8 * MHZ, fast, Some(8 * MHZ / 128)), Some(16 * MHZ));
    }
}

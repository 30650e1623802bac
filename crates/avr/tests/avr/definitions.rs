//! The decoder and the flags against a second, plain transcription of the manual (AVR Instruction Set Manual, DS40002198): every
//! word by its pattern of bits, and every pair of operands by arithmetic in whole numbers.

use avr::core::{Instruction, alu, decode};

/// Every instruction of AVRe+ with its first word; letters are operands. Of two that fit, the first is meant.
const PATTERNS: [(&str, &str); 78] = [
    ("Nop", "0000000000000000"),
    ("Erased", "1111111111111111"),
    ("Movw", "00000001ddddrrrr"),
    ("Muls", "00000010ddddrrrr"),
    ("Mulsu", "000000110ddd0rrr"),
    ("Fmul", "000000110ddd1rrr"),
    ("Fmuls", "000000111ddd0rrr"),
    ("Fmulsu", "000000111ddd1rrr"),
    ("Cpc", "000001rdddddrrrr"),
    ("Sbc", "000010rdddddrrrr"),
    ("Add", "000011rdddddrrrr"),
    ("Cpse", "000100rdddddrrrr"),
    ("Cp", "000101rdddddrrrr"),
    ("Sub", "000110rdddddrrrr"),
    ("Adc", "000111rdddddrrrr"),
    ("And", "001000rdddddrrrr"),
    ("Eor", "001001rdddddrrrr"),
    ("Or", "001010rdddddrrrr"),
    ("Mov", "001011rdddddrrrr"),
    ("Cpi", "0011KKKKddddKKKK"),
    ("Sbci", "0100KKKKddddKKKK"),
    ("Subi", "0101KKKKddddKKKK"),
    ("Ori", "0110KKKKddddKKKK"),
    ("Andi", "0111KKKKddddKKKK"),
    ("Ldd", "10q0qq0ddddd0qqq"),
    ("Ldd", "10q0qq0ddddd1qqq"),
    ("Std", "10q0qq1rrrrr0qqq"),
    ("Std", "10q0qq1rrrrr1qqq"),
    ("Lds", "1001000ddddd0000"),
    ("Ld", "1001000ddddd0001"),
    ("Ld", "1001000ddddd0010"),
    ("Lpm", "1001000ddddd0100"),
    ("Lpm", "1001000ddddd0101"),
    ("Elpm", "1001000ddddd0110"),
    ("Elpm", "1001000ddddd0111"),
    ("Ld", "1001000ddddd1001"),
    ("Ld", "1001000ddddd1010"),
    ("Ld", "1001000ddddd1100"),
    ("Ld", "1001000ddddd1101"),
    ("Ld", "1001000ddddd1110"),
    ("Pop", "1001000ddddd1111"),
    ("Sts", "1001001ddddd0000"),
    ("St", "1001001rrrrr0001"),
    ("St", "1001001rrrrr0010"),
    ("St", "1001001rrrrr1001"),
    ("St", "1001001rrrrr1010"),
    ("St", "1001001rrrrr1100"),
    ("St", "1001001rrrrr1101"),
    ("St", "1001001rrrrr1110"),
    ("Push", "1001001ddddd1111"),
    ("Com", "1001010ddddd0000"),
    ("Neg", "1001010ddddd0001"),
    ("Swap", "1001010ddddd0010"),
    ("Inc", "1001010ddddd0011"),
    ("Asr", "1001010ddddd0101"),
    ("Lsr", "1001010ddddd0110"),
    ("Ror", "1001010ddddd0111"),
    ("Bset", "100101000sss1000"),
    ("Bclr", "100101001sss1000"),
    ("Dec", "1001010ddddd1010"),
    ("Jmp", "1001010kkkkk110k"),
    ("Call", "1001010kkkkk111k"),
    ("Adiw", "10010110KKddKKKK"),
    ("Sbiw", "10010111KKddKKKK"),
    ("Cbi", "10011000AAAAAbbb"),
    ("Sbic", "10011001AAAAAbbb"),
    ("Sbi", "10011010AAAAAbbb"),
    ("Sbis", "10011011AAAAAbbb"),
    ("Mul", "100111rdddddrrrr"),
    ("In", "10110AAdddddAAAA"),
    ("Out", "10111AArrrrrAAAA"),
    ("Rjmp", "1100kkkkkkkkkkkk"),
    ("Rcall", "1101kkkkkkkkkkkk"),
    ("Ldi", "1110KKKKddddKKKK"),
    ("Brbs", "111100kkkkkkksss"),
    ("Brbc", "111101kkkkkkksss"),
    ("Bld", "1111100ddddd.bbb"),
    ("Bst", "1111101ddddd.bbb"),
];

const ALONE: [(&str, u16); 12] = [
    ("Ijmp", 0x9409),
    ("Eijmp", 0x9419),
    ("Ret", 0x9508),
    ("Icall", 0x9509),
    ("Reti", 0x9518),
    ("Eicall", 0x9519),
    ("Sleep", 0x9588),
    ("Break", 0x9598),
    ("Wdr", 0x95a8),
    ("Lpm", 0x95c8),
    ("Elpm", 0x95d8),
    ("Spm", 0x95e8),
];

fn fits(word: u16, pattern: &str) -> bool {
    pattern.bytes().zip((0..16).rev()).all(|(letter, bit)| match letter {
        b'0' => word >> bit & 1 == 0,
        b'1' => word >> bit & 1 == 1,
        _ => true,
    })
}

fn by_the_manual(word: u16) -> &'static str {
    let skips = |pattern| fits(word, pattern);
    if let Some((name, _)) = ALONE.iter().find(|(_, own)| *own == word) {
        return name;
    }
    if word == 0x95f8 {
        return "Spm";
    }
    match PATTERNS.iter().find(|(_, pattern)| fits(word, pattern)) {
        Some((name, _)) => name,
        None if skips("1111110rrrrr.bbb") => "Sbrc",
        None if skips("1111111rrrrr.bbb") => "Sbrs",
        None => "Undefined",
    }
}

#[test]
fn every_word_is_the_instruction_whose_pattern_it_has() {
    for word in 0..=u16::MAX {
        let decoded = format!("{:?}", decode(word, 0));
        let name = decoded.split(' ').next().unwrap();
        assert_eq!(name, by_the_manual(word), "{word:#06x}");
    }
}

#[test]
fn operands_stand_where_the_manual_has_them() {
    assert_eq!(decode(0x0fef, 0), Instruction::Add { d: 30, r: 31 });
    assert_eq!(decode(0x0e0f, 0), Instruction::Add { d: 0, r: 31 });
    assert_eq!(decode(0xeaf5, 0), Instruction::Ldi { d: 31, k: 0xa5 });
    assert_eq!(decode(0x96bf, 0), Instruction::Adiw { d: 30, k: 0x2f });
    assert_eq!(decode(0xaf9f, 0), Instruction::Std { r: 25, base: 28, q: 63 });
    assert_eq!(decode(0xb7cf, 0), Instruction::In { d: 28, a: 0x3f });
    assert_eq!(decode(0x95ff, 0xabcd), Instruction::Call { k: 0x3f_abcd });
    assert_eq!(decode(0xf3f9, 0), Instruction::Brbs { b: 1, k: -1 });
    assert_eq!(decode(0xc800, 0), Instruction::Rjmp { k: -2048 });
    assert_eq!(decode(0x9a2d, 0), Instruction::Sbi { a: 5, b: 5 });
}

/// SREG's lower six bits of a sum or a difference, in whole numbers.
fn expected(d: i32, s: i32, carry: i32, minus: bool) -> (u8, u8) {
    let sign = if minus { -1 } else { 1 };
    let signed = |value: i32| i32::from(value as u8 as i8);
    let whole = d + sign * (s + carry);
    let half = (d & 15) + sign * ((s & 15) + carry);
    let exact = signed(d) + sign * (signed(s) + carry);
    let r = whole as u8;
    let flag = |is: bool, at: u8| u8::from(is) << at;
    let n = r >= 0x80;
    let v = !(-128..=127).contains(&exact);
    let sreg = flag(!(0..=255).contains(&whole), 0)
        | flag(r == 0, 1)
        | flag(n, 2)
        | flag(v, 3)
        | flag(n != v, 4)
        | flag(!(0..=15).contains(&half), 5);
    (r, sreg)
}

#[test]
fn sums_and_differences_of_all_bytes_have_the_flags_of_the_manual() {
    for d in 0..=255u8 {
        for s in 0..=255u8 {
            let (wide_d, wide_s) = (i32::from(d), i32::from(s));
            for carry in 0..=1u8 {
                let c = i32::from(carry);
                assert_eq!(
                    alu::add(0, d, s, carry),
                    expected(wide_d, wide_s, c, false),
                    "{d} + {s} + {carry}"
                );
                // Z of SBC and CPC stays clear once it is.
                let (r, sreg) = expected(wide_d, wide_s, c, true);
                assert_eq!(alu::subtract_on(carry | alu::Z, d, s), (r, sreg), "{d} - {s} - {carry}");
                assert_eq!(alu::subtract_on(carry, d, s), (r, sreg & !alu::Z));
            }
            assert_eq!(alu::subtract(0, d, s), expected(wide_d, wide_s, 0, true), "{d} - {s}");
        }
        assert_eq!(alu::negate(0, d), expected(0, i32::from(d), 0, true), "- {d}");
        let kept = alu::C | alu::H | alu::T | alu::I;
        let all = alu::V | alu::N | alu::S | alu::Z;
        let (r, sreg) = expected(i32::from(d), 1, 0, false);
        assert_eq!(alu::increment(kept, d), (r, sreg & all | kept));
        let (r, sreg) = expected(i32::from(d), 1, 0, true);
        assert_eq!(alu::decrement(kept, d), (r, sreg & all | kept));
    }
}

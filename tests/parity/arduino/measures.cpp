// What a sketch measures of its own board with the functions of Arduino's core: a line for each figure, and each is out
// before the next is measured, as the UART's interrupts take time.
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <EEPROM.h>
#include <SPI.h>
#include <Wire.h>

static volatile unsigned rises, changes, compares, conversions, voltage;
static volatile bool barked;

ISR(PCINT1_vect) { changes++; }
ISR(TIMER1_COMPA_vect) { compares++; }
ISR(ADC_vect) {
  conversions++;
  voltage = ADC;
}
ISR(WDT_vect) { barked = true; }

static void rise() { rises++; }

static void tell(const __FlashStringHelper *name, long value) {
  Serial.print(name);
  Serial.print(' ');
  Serial.println(value);
  Serial.flush();
}

static void pulses() {
  pinMode(9, OUTPUT);
  analogWrite(9, 64);
  delay(5);
  tell(F("pwm9_us"), pulseIn(9, HIGH, 100000));
  pinMode(3, OUTPUT);
  analogWrite(3, 10);
  tell(F("pwm3_us"), pulseIn(3, HIGH, 100000));
  tell(F("pwm3_low_us"), pulseIn(3, LOW, 100000));
  tone(8, 1000);
  tell(F("tone_us"), pulseIn(8, HIGH, 100000));
  noTone(8);
}

static void interrupts_and_timers() {
  pinMode(2, OUTPUT);
  digitalWrite(2, LOW);
  attachInterrupt(digitalPinToInterrupt(2), rise, RISING);
  for (int turn = 0; turn < 5; turn++) {
    digitalWrite(2, HIGH);
    digitalWrite(2, LOW);
  }
  tell(F("rises"), rises);
  PCICR |= _BV(PCIE1);
  PCMSK1 |= _BV(PCINT8);
  pinMode(A0, OUTPUT);
  for (int turn = 1; turn <= 7; turn++) digitalWrite(A0, turn & 1);
  tell(F("changes"), changes);
  TCCR1A = 0;
  TCCR1B = _BV(WGM12) | _BV(CS11);
  OCR1A = 1999;
  TCNT1 = 0;
  TIMSK1 = _BV(OCIE1A);
  delay(100);
  TIMSK1 = 0;
  tell(F("compares"), compares);
}

static void converter() {
  analogRead(A1);
  unsigned long begin = micros();
  analogRead(A1);
  tell(F("analog_read_us"), micros() - begin);
  ADMUX = _BV(REFS0) | 14;
  ADCSRA = _BV(ADEN) | _BV(ADSC) | _BV(ADIE) | 7;
  delay(1);
  tell(F("bandgap"), voltage);
  conversions = 0;
  ADCSRA = _BV(ADEN) | _BV(ADSC) | _BV(ADATE) | _BV(ADIE) | 5;
  delay(50);
  ADCSRA = 0;
  tell(F("conversions"), conversions);
}

static void buses() {
  SPI.begin();
  SPI.beginTransaction(SPISettings(1000000, MSBFIRST, SPI_MODE0));
  unsigned long begin = micros();
  for (int turn = 0; turn < 100; turn++) SPI.transfer(turn);
  tell(F("spi_us"), micros() - begin);
  SPI.endTransaction();
  Wire.begin();
  Wire.beginTransmission(0x50);
  Wire.write(1);
  tell(F("twi_without_target"), Wire.endTransmission());
  EEPROM.write(5, 0xA7);
  tell(F("eeprom"), EEPROM.read(5));
  begin = micros();
  EEPROM.write(6, 1);
  while (!eeprom_is_ready()) {
  }
  tell(F("eeprom_write_us"), micros() - begin);
}

static void sleeps() {
  wdt_reset();
  WDTCSR |= _BV(WDCE) | _BV(WDE);
  WDTCSR = _BV(WDIE) | _BV(WDP0);
  set_sleep_mode(SLEEP_MODE_PWR_DOWN);
  sleep_enable();
  unsigned long begin = millis();
  sleep_cpu();
  sleep_disable();
  tell(F("clock_stood_for_ms"), millis() - begin);
  tell(F("barked"), barked);
  wdt_disable();
}

void setup() {
  uint8_t cause = MCUSR;
  MCUSR = 0;
  wdt_disable();
  Serial.begin(57600);
  tell(F("reset_cause"), cause);
  if (cause & _BV(WDRF)) return;
  unsigned long begin = micros();
  delay(10);
  tell(F("delay_us"), micros() - begin);
  begin = micros();
  delayMicroseconds(500);
  tell(F("short_delay_us"), micros() - begin);
  pulses();
  interrupts_and_timers();
  converter();
  buses();
  tell(F("product"), -1234L * 5678);
  tell(F("root"), (long)(sqrt(2.0) * 100000));
  sleeps();
  wdt_enable(WDTO_60MS);
  for (;;) {
  }
}

void loop() {
  if (Serial.available()) Serial.write(toupper(Serial.read()));
}

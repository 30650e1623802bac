// Says what it hears in capitals, on the first of four serial ports; a line ends with Enter.
void setup() {
  Serial.begin(115200);
  Serial.println(F("ready"));
}

void loop() {
  if (!Serial.available()) return;
  char letter = Serial.read();
  Serial.write(toupper(letter));
  if (letter == '\r') Serial.write('\n');
}

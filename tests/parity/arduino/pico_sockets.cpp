// The same page by the W5500's own TCP, through Arduino's Ethernet library on Arduino-Pico: the loop of that library's example,
// with the page in one piece.
#include <SPI.h>
#include <Ethernet.h>

// The static page of this project's own server (firmware/sites/demo/static.html), with headers before its 137 bytes.
static const char ANSWER[] =
    "HTTP/1.1 200 OK\r\n"
    "Content-Type: text/html\r\n"
    "Content-Length: 137\r\n"
    "Connection: close\r\n"
    "\r\n"
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<title>Plain text</title>\n"
    "<p>This page never changes. The <a href=\"ssi.shtml\">next one</a> does.\n"
    "</html>";

static uint8_t mac[] = {0xDE, 0xAD, 0xBE, 0xEF, 0xFE, 0xED};
EthernetServer server(80);

void setup() {
  Serial1.begin(115200);
  delay(5000);
  Ethernet.init(17);
  Ethernet.begin(mac);
  server.begin();
  Serial1.print("serving at ");
  Serial1.println(Ethernet.localIP());
}

void loop() {
  EthernetClient client = server.available();
  if (!client) return;
  bool line_is_empty = true;
  while (client.connected()) {
    if (!client.available()) continue;
    char letter = client.read();
    if (letter == '\n' && line_is_empty) {
      client.write(ANSWER, sizeof ANSWER - 1);
      break;
    }
    if (letter == '\n') line_is_empty = true;
    else if (letter != '\r') line_is_empty = false;
  }
  client.stop();
}

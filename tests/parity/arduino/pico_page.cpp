// A page by the web server of Arduino-Pico over its lwIP and a W5500, as a user of a W5500-EVB-Pico would write it.
// It follows the library's example until a build defines one of the switches, each of which is a line of a sketch.
#include <W5500lwIP.h>
#include <WebServer.h>

#ifdef CHIP_INTERRUPT
Wiznet5500lwIP eth(17, SPI, 21);
#else
Wiznet5500lwIP eth(17);
#endif
WebServer server(80);

// The static page of this project's own server (firmware/sites/demo/static.html): 137 bytes.
static const char PAGE[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<title>Plain text</title>\n"
    "<p>This page never changes. The <a href=\"ssi.shtml\">next one</a> does.\n"
    "</html>";
static_assert(sizeof PAGE - 1 == 137, "the page is as long as this project's own");

void setup() {
#ifdef SPI_HZ
  eth.setSPISpeed(SPI_HZ);
#endif
#ifdef POLLING_MS
  lwipPollingPeriod(POLLING_MS);
#endif
  Serial1.begin(115200);
  delay(5000);
  if (!eth.begin()) Serial1.println("no W5500");
  while (!eth.connected()) delay(1);
  server.on("/static.html", [] { server.send(200, "text/html", PAGE); });
  server.begin();
  Serial1.print("serving at ");
  Serial1.println(eth.localIP());
}

void loop() {
  server.handleClient();
}

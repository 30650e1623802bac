// A ping-pong server for Arduino with a WIZnet chip: answers each number with the next one.
#include <Ethernet.h>
#include <SPI.h>

static byte mac[] = {0x02, 0x00, 0x00, 0x41, 0x57, 0x50};
static EthernetServer server(5000);

void setup()
{
    Ethernet.begin(mac, IPAddress(192, 168, 1, 50));
    server.begin();
}

void loop()
{
    EthernetClient client = server.available();
    while (client && client.available()) {
        char text[24];
        const int count = client.read(reinterpret_cast<uint8_t *>(text), sizeof text - 1);
        if (count > 0) {
            text[count] = '\0';
            client.print(strtoul(text, NULL, 10) + 1);
        }
    }
}

// The server's headers as C++ sees them: it only has to compile and link.
#include "http.h"

int main() {
    static http_connection connection;
    const uint8_t *bytes;
    http_server server = {};
    http_open(&connection, &server, 0);
    return http_pending(&connection, &bytes) == 0 && http_busy_answer(&bytes) > 0 ? 0 : 1;
}

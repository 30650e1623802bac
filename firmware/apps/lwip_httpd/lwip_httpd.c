/* lwIP's own web server on the pages of the image that `airwire fsdata` made, to compare ours with. Pages without tags.
 */
#include "application.h"
#include "console.h"
#include "fsdata.h"
#include "fsdata_image.h"
#include "lwip/apps/fs.h"
#include "lwip/apps/httpd.h"
#include "network.h"

static struct fsdata files;

/* lwIP asks here before it looks among its own pages. It makes the headers by itself. */
int fs_open_custom(struct fs_file *file, const char *name) {
    struct fsdata_body body;
    uint16_t pieces;
    unsigned found = fsdata_find(&files, name);
    if (found == FSDATA_NONE || fsdata_pieces(&files, found, &pieces) || !fsdata_body(&files, found, false, &body)) {
        return 0;
    }
    file->data = (const char *)body.head + body.head_bytes + 2;
    file->len = file->index = (int)body.body_bytes;
    return 1;
}

void fs_close_custom(struct fs_file *file) { (void)file; }

static void start(void) {
    if (fsdata_open(&files, fsdata_image, FSDATA_BYTES) != FSDATA_SOUND) {
        console_text("error: the image of pages is damaged: build it anew with airwire fsdata\n");
        return;
    }
    httpd_init();
}

const struct application application = {"lwIP's own HTTP server", start, 0};

/* lwIP as it comes: opt.h decides, but for what an image here cannot do without. It shows what the options of the other
 * settings are worth. */
#ifndef LWIP_SETTINGS_DEFAULT_H
#define LWIP_SETTINGS_DEFAULT_H

/* The look at the link is one timer more than lwIP's own. */
#define MEMP_NUM_SYS_TIMEOUT (LWIP_NUM_SYS_TIMEOUT_INTERNAL + 1)

#endif

/* The attributes of the simulated sonde receiver and the answers to ATT
 * requests about them. */
#ifndef LAB_GATT_SERVER_H
#define LAB_GATT_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum profile { PROFILE_MYSONDYGO, PROFILE_NORDIC_UART };

struct gatt_server {
    const char *name;
    enum profile profile;
    bool indicates;      /* instead of notifying */
    bool writes_unanswered; /* the command characteristic takes writes without response only */
    uint16_t mtu_limit;  /* the most this server agrees to */
    uint16_t mtu;        /* agreed on; 23 until then */
    bool subscribed;
    void (*on_subscribe)(void *context, bool on);
    void (*on_write)(void *context, const uint8_t *value, size_t length);
    void *context;
};

/* Forgets what a connection agreed on. */
void gatt_server_reset(struct gatt_server *server);

/* Answers one packet; the answer's length, 0 when there is none to send. */
size_t gatt_server_answer(struct gatt_server *server, const uint8_t *pdu, size_t length,
                          uint8_t answer[517]);

/* The profile's service, as it is advertised. */
const char *gatt_server_service(enum profile profile);

/* Builds a notification or indication of the text, cut to what the MTU allows; its length. */
size_t gatt_server_notification(const struct gatt_server *server, const void *text, size_t length,
                                uint8_t pdu[517]);

#endif

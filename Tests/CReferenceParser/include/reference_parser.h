// What a plain C program would do with a type-1 frame: the yardstick for the Swift parser. It reads the same fields,
// accepts the same numbers and makes the same checks, with strtod where the Swift parser has its own way.
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct reference_number {
    bool is_known;
    double value;
};

struct reference_frame {
    char type[16], name[32], version[17];
    double latitude, longitude, altitude, horizontal_speed, vertical_speed;
    bool is_plausible, burst_killer_active;
    struct reference_number frequency, rssi, battery_percent, battery_millivolts, afc, burst_killer_seconds, mute;
};

// Returns 0, or -1 when the text is no type-1 frame of 21 tokens. `text` must end with a NUL.
int reference_parse(const char *text, size_t length, struct reference_frame *frame);

// Calls of malloc, calloc and realloc in this process so far.
size_t allocation_count(void);

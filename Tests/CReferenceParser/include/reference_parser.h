// What a plain C program would do with a type-1 frame: the yardstick for the Swift parser.
#pragma once
#include <stddef.h>

struct reference_frame {
    char type[16], name[32], version[16];
    double frequency, latitude, longitude, altitude, horizontal_speed, vertical_speed, rssi;
    long battery_percent, afc, burst_killer, burst_killer_time, battery_millivolts, mute;
};

// Returns 0, or -1 when the text is no type-1 frame of 21 tokens. `text` must end with a NUL.
int reference_parse(const char *text, size_t length, struct reference_frame *frame);

// Calls of malloc, calloc and realloc in this process so far.
size_t allocation_count(void);

// The program carries the files of all languages. C embeds them as they are: after a change of a text only this file is
// compiled anew.
#include "languages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// One line for each language, numbered from 1 in the order in which people choose one. Its file is Texts/<name>.txt.
#define LANGUAGE_1 en
#define LANGUAGE_2 de
#define LANGUAGE_3 fr
#define LANGUAGE_4 it
#define LANGUAGE_5 es
#define LANGUAGE_6 pl

#define NAME(number) JOINED(LANGUAGE_, number)
#define JOINED(begin, end) begin##end
#define TEXT(...) QUOTED(__VA_ARGS__)
#define QUOTED(...) #__VA_ARGS__

const struct language_file *language_file_at(size_t place) {
    switch (place + 1) {
#include "each-language.h"
    default:
        return NULL;
    }
}

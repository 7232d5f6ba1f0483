// The program carries the files of all languages. C embeds them as they are: after a change of a text only this file is
// compiled anew.
#include "languages.h"

// A language has its text here, and its place in the list below, the order in which people choose one. No macro writes
// both: a directive such as #embed can't come from a macro.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char en[] = {
#embed "Texts/en.txt"
};
static const unsigned char de[] = {
#embed "Texts/de.txt"
};
static const unsigned char fr[] = {
#embed "Texts/fr.txt"
};
static const unsigned char it[] = {
#embed "Texts/it.txt"
};
static const unsigned char es[] = {
#embed "Texts/es.txt"
};
static const unsigned char pl[] = {
#embed "Texts/pl.txt"
};

#define LANGUAGE(name) {#name, name, sizeof name}

static const struct language_file files[] = {
    LANGUAGE(en), LANGUAGE(de), LANGUAGE(fr), LANGUAGE(it), LANGUAGE(es), LANGUAGE(pl),
};

const struct language_file *language_file_at(size_t place) {
    return place < sizeof files / sizeof *files ? &files[place] : NULL;
}

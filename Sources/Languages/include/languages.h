#pragma once
#include <stddef.h>

/// The file of a language, as translators wrote it.
struct language_file {
    /// Its BCP 47 name.
    const char *_Nonnull name;
    /// The text in UTF-8, which does not end with a zero.
    const unsigned char *_Nonnull bytes;
    size_t length;
};

/// The file at this place in the order in which people choose a language; null behind the last one.
const struct language_file *_Nullable language_file_at(size_t place);

// Embeds the language whose number is the depth of this inclusion, and includes itself for the next one. No macro could do
// it, because a directive can't come from a macro. It ends at the first number that stands for no file.
#if __has_embed(TEXT(Texts/NAME(__INCLUDE_LEVEL__).txt))
case __INCLUDE_LEVEL__: {
    static const unsigned char bytes[] = {
#embed TEXT(Texts/NAME(__INCLUDE_LEVEL__).txt)
    };
    static const struct language_file file = {TEXT(NAME(__INCLUDE_LEVEL__)), bytes, sizeof bytes};
    return &file;
}
#include "each-language.h"
#endif

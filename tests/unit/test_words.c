/* The words of a text, spelled out. */
#include "kit/kit.h"

#include "data/text/words.h"

/* All words, each followed by a bar. */
static const char *words_of(const char *text, int shortest, int longest)
{
    static char out[4096];
    size_t n = 0;
    sri_word_reader r = sri_words_of(text, shortest, longest);
    while (sri_word_next(&r)) {
        CHECK(n + r.length + 2 < sizeof out);
        memcpy(out + n, r.word, r.length);
        n += r.length;
        out[n++] = '|';
    }
    out[n] = '\0';
    return out;
}

TEST(words, are_runs_of_letters_in_small_letters)
{
    CHECK_STR(words_of("The cat, THE Cat-and-dog: 3cats 4!x", 1, 25),
              "the|cat|the|cat|and|dog|cats|x|");
    CHECK_STR(words_of("", 1, 25), "");
    CHECK_STR(words_of(" \t\r\n.,;01234_@[`{", 1, 25), "");
    CHECK_STR(words_of("AZaz", 1, 25), "azaz|");
}

TEST(words, too_short_and_too_long_ones_are_passed_over_as_a_whole)
{
    CHECK_STR(words_of("a bc def ghij klmno", 2, 4), "bc|def|ghij|");
    CHECK_STR(words_of("don't", 2, 25), "don|");
    CHECK_STR(words_of("abcdefghijklmnopqrstuvwxy abcdefghijklmnopqrstuvwxyz", 2, 25),
              "abcdefghijklmnopqrstuvwxy|"); /* 25 and 26 */
}

TEST(words, of_other_scripts_have_small_letters_and_lengths_in_characters)
{
    CHECK_STR(words_of("CAF\xc3\x89 na\xc3\xafve", 2, 5), "caf\xc3\xa9|na\xc3\xafve|");
    CHECK_STR(words_of("\xc3\x97\xc3\xb7 2\xc3\x97"
                       "3",
                       1, 25),
              ""); /* times, divided by */
    CHECK_STR(words_of("\xce\x91\xce\x92\xce\x93 \xd0\x9f\xd0\xa0\xd0\x98", 3, 3),
              "\xce\xb1\xce\xb2\xce\xb3|\xd0\xbf\xd1\x80\xd0\xb8|"); /* Greek, Cyrillic */
    CHECK_STR(words_of("\xe2\x80\x9cso\xe2\x80\x9d \xe2\x80\x93 \xf0\x9f\x99\x82", 2, 25),
              "so|");                                             /* quotes, dash, a face */
    CHECK_STR(words_of("\xf0\x90\x90\x80\xf0\x90\x90\x81", 2, 2), /* Deseret: four bytes */
              "\xf0\x90\x90\xa8\xf0\x90\x90\xa9|");
    CHECK_EQ(sri_letter(0x100), 0x101); /* every second one is a capital */
    CHECK_EQ(sri_letter(0x101), 0x101);
    CHECK_EQ(sri_letter(0x178), 0xff);  /* the small form may lie before it */
    CHECK_EQ(sri_letter(0x130), 0x130); /* has no single small form */
    CHECK_EQ(sri_letter(0x10ffff), 0);
    CHECK_EQ(sri_letter(0x301), 0x301); /* an accent of its own belongs to the word */
}

/* Tables hold UTF-8; what is none is no letter, and nothing beyond the end is read. */
TEST(words, end_at_bytes_that_are_no_utf_8)
{
    CHECK_STR(words_of("ab\xe9"
                       "cd\xff",
                       1, 25),
              "ab|cd|");
    CHECK_STR(words_of("ab\xc3", 1, 25), "ab|");
    CHECK_STR(words_of("\xf0\x90\x90", 1, 25), "");
}

TEST(words, one_of_ten_million_letters_is_passed_over)
{
    const size_t n = 10000000;
    char *text = malloc(n + 5);
    memset(text, 'x', n);
    memcpy(text + n, " end", 5);
    CHECK_STR(words_of(text, 2, 200), "end|");
    free(text);
}

/* The words of a text: runs of letters, in small letters, of a length between two bounds. */
#ifndef SRI_DATA_TEXT_WORDS_H
#define SRI_DATA_TEXT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SRI_WORD_MAX = 200 }; /* characters */

/* The small form of a letter of Unicode; 0 for what is no letter. */
uint32_t sri_letter(uint32_t c);

typedef struct sri_word_reader {
    const unsigned char *at, *end; /* UTF-8 */
    int64_t shortest, longest;     /* in characters; longest <= SRI_WORD_MAX */
    char word[4 * SRI_WORD_MAX];   /* the word that was found, UTF-8, not terminated */
    size_t length;                 /* its bytes */
} sri_word_reader;

sri_word_reader sri_words_of(const char *text, int64_t shortest, int64_t longest);
/* Goes on to the next word; false at the end of the text.  Words that are too long or too short
 * are passed over as a whole. */
bool sri_word_next(sri_word_reader *r);

#endif

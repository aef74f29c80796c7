/* Topics with the names of what was counted: words of documents, or columns of a table. */
#ifndef SRI_DATA_TEXT_TOPICS_H
#define SRI_DATA_TEXT_TOPICS_H

#include "data/text/plsa.h"
#include "data/text/vocabulary.h"

struct specreg_topics {
    sri_plsa *plsa;
    specreg_vocabulary *words; /* that gives raw counts; NULL: a table of counts         */
    char **column;             /* its columns' names; NULL: there are words, or numbers  */
    int32_t *order;            /* topics x words: the words by falling P(w|z)            */
    double seconds;            /* that learning took; 0: it comes from a file            */
};

/* Takes over what it is given, also when it fails.  `column`: plsa->words names, or NULL. */
specreg_status sri_topics_new(specreg_context *ctx, sri_plsa *plsa, specreg_vocabulary *words,
                              char **column, specreg_topics **out);
/* Of a word or column, from 0; `buffer`, of 32 bytes, holds it where it is a number. */
const char *sri_topics_name(const specreg_topics *t, int64_t index, char *buffer);

/* As lines of text (docs/TEXT.md), and back; `name` is for messages. */
specreg_status sri_topics_print(specreg_context *ctx, const specreg_topics *t, sri_buffer *out);
specreg_status sri_topics_parse(specreg_context *ctx, const char *name, const char *text,
                                size_t length, specreg_topics **out);

#endif

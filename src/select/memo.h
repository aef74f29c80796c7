/* Finished evaluations of a search, in memory and as lines of text; docs/FORMATS.md describes the
 * lines.  No file is touched here: that is checkpoint.c. */
#ifndef SRI_SELECT_MEMO_H
#define SRI_SELECT_MEMO_H

#include "core/text.h"
#include "engine/engine.h"
#include "select/criterion.h"

enum { SRI_MEMO_VERSION = 6, SRI_MEMO_HEADER = 72 }; /* bytes of the first line */

/* What a finished evaluation leaves behind beside the scores of its path. */
typedef struct sri_finished {
    sri_report report;
    sri_score rank;     /* by which kernels are compared                      */
    int64_t best;       /* the path point to take                             */
    int64_t left_early; /* 1: the path was not followed to its end            */
    char engine[16];    /* the name of the engine that ran it, filled up with zeros */
} sri_finished;

typedef struct sri_memo_entry {
    uint64_t key[2]; /* digest of the evaluation's name */
    int64_t first;   /* its sri_finished and scores are words from here */
    int64_t count;   /* scores */
} sri_memo_entry;

typedef struct sri_memo {
    sri_memo_entry *entry;
    int64_t entries, entry_capacity;
    uint64_t *word;
    int64_t words, word_capacity;
    uint64_t check;  /* of the last line; that of the next one begins with it */
    sri_buffer line; /* the line that was made last                           */
} sri_memo;

/* The text of a file, and its name for messages. */
typedef struct sri_memo_text {
    const char *path, *data;
    int64_t size;
} sri_memo_text;

/* Makes the first line. */
specreg_status sri_memo_begin(specreg_context *ctx, sri_memo *memo, const uint64_t fingerprint[2]);
/* Compares the first bytes of a file with that line; more than SRI_MEMO_HEADER are not needed.
 * *torn: they are a beginning of it, as is nothing at all.  Any other line is an error that says
 * what the file is instead. */
specreg_status sri_memo_header(specreg_context *ctx, sri_memo *memo, const uint64_t fingerprint[2],
                               const sri_memo_text *head, bool *torn);
/* Reads the lines after the first.  What stands behind the last good one, *good bytes from the
 * beginning, is an error unless it is a single line, which may have been torn. */
specreg_status sri_memo_read(specreg_context *ctx, sri_memo *memo, const sri_memo_text *lines,
                             int64_t *good);

/* False where there is no evaluation of that key with so many scores. */
bool sri_memo_find(const sri_memo *memo, const char *key, int64_t count, sri_finished *finished,
                   sri_score *score);
/* One more evaluation, and its line. */
specreg_status sri_memo_add(specreg_context *ctx, sri_memo *memo, const char *key, int64_t count,
                            const sri_finished *finished, const sri_score *score);
void sri_memo_free(sri_memo *memo);

#endif

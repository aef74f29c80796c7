/* Probabilistic latent semantic analysis (Hofmann): a document is a mixture of topics, a topic a
 * distribution over words,
 *
 *     P(w|d) = sum_z P(w|z) P(z|d),
 *
 * and both are those under which the counts n(d,w) are most likely, found by EM (docs/MATH.md). */
#ifndef SRI_DATA_TEXT_PLSA_H
#define SRI_DATA_TEXT_PLSA_H

#include "core/text.h"
#include "data/table.h"

typedef struct sri_plsa_how {
    int64_t topics;
    int64_t sweeps;  /* of EM, at most                                                     */
    double held_out; /* share of the counts by which EM is stopped and tempered; 0: none   */
    double temper;   /* beta is multiplied by it when held-out counts say so; 1: never     */
} sri_plsa_how;

/* "topics=10,sweeps=50"; "auto" for all defaults.  An unknown key or value is SPECREG_E_ARG. */
specreg_status sri_plsa_how_parse(specreg_context *ctx, const char *spec, sri_plsa_how *out);
/* The same as a text, every key. */
specreg_status sri_plsa_how_print(specreg_context *ctx, const sri_plsa_how *how, sri_buffer *out);

typedef struct sri_plsa {
    sri_plsa_how how;
    int64_t topics, words;
    double *word;  /* words x topics: P(w|z); a word that training did not have is a row of zeros */
    double *prior; /* P(z), falling                                                    */
    double beta;   /* of the E step at the end; 1 unless it was tempered               */
    uint64_t seed;
    int64_t documents, empty; /* learned from; how many of them had no counts          */
    double counts;            /* their sum, those held out included                    */
    int64_t sweeps;           /* that were made                                                  */
    int64_t kept;             /* the sweep, from 1, after which things are as they are here      */
    double *perplexity;       /* of the counts trained on, after each sweep                  */
    double *held;             /* of those held out; NULL: none were                          */
} sri_plsa;

/* counts: a row for each document, values of 0 or more.  mixture (n x topics), which may be NULL,
 * takes P(z|d): what sri_plsa_fold_in would give.  The same seed gives the same bytes with any
 * number of threads. */
specreg_status sri_plsa_learn(specreg_context *ctx, const sri_matrix *counts,
                              const sri_plsa_how *how, uint64_t seed, double *mixture,
                              sri_plsa **out);

/* P(z|d) of n documents: EM with P(w|z) as it is, from equal shares, until no share changes by more
 * than SRI_PLSA_TOLERANCE in a sweep, or for SRI_PLSA_FOLD_SWEEPS of them.  Columns from
 * plsa->words on are ignored.  A document without a word of training gets P(z); *without says how
 * many there were. */
#define SRI_PLSA_TOLERANCE 1e-5
enum { SRI_PLSA_FOLD_SWEEPS = 500 };
specreg_status sri_plsa_fold_in(specreg_context *ctx, const sri_plsa *plsa,
                                const sri_matrix *counts, double *mixture, int64_t *without);
void sri_plsa_free(sri_plsa *plsa); /* accepts NULL */

#endif

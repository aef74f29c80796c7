/* Classes as columns of numbers.  A coding gives every class a word, which is its row of Y, and
 * turns a row of real-valued outputs into one score per class; the largest score wins, ties go to
 * the lower class. */
#ifndef SRI_CODING_CODING_H
#define SRI_CODING_CODING_H

#include "core/param.h"

enum { SRI_CODING_PARAMS = 3 };

/* How far outputs f are from a word w of T signs; the score is less for more of it. */
typedef enum sri_decoding {
    SRI_DECODE_SQUARED, /* |f - w|^2, of which only sum_t w_t f_t depends on the class */
    SRI_DECODE_HAMMING, /* how many signs differ                                      */
    SRI_DECODE_LOSS,    /* sum_t max(0, 1 - w_t f_t)^2: what is beyond the sign is no error */
    SRI_DECODE_VOTES,   /* as HAMMING; classes with as many votes are told apart by SQUARED   */
    SRI_DECODE_MAJORITY /* as HAMMING, but an output of 0 is a vote for -1                    */
} sri_decoding;

enum { SRI_DECODINGS = SRI_DECODE_MAJORITY + 1 };

typedef struct sri_coding_ops sri_coding_ops;

/* A coding as the user wrote it. */
typedef struct sri_coding_spec {
    const sri_coding_ops *ops;
    double param[SRI_CODING_PARAMS];
    sri_decoding decoding;
    char *file; /* with the codewords, of codings that take one; sri_coding_spec_free frees it */
} sri_coding_spec;

/* A coding of so many classes. */
typedef struct sri_coding {
    sri_coding_spec spec;
    int64_t n_classes, width; /* width: columns of Y                                        */
    double *word;             /* n_classes x width, a row for each class; NULL: ops->row has it */
    bool leaves_out;          /* some entries of its words of signs are 0: see `signs`         */
    /* The columns where words are not 0: those of class c are entry[first[c]] and on, up to that of
     * the next; NULL without words. */
    int32_t *entry;
    int64_t *first;
} sri_coding; /* its spec has no file */

enum { SRI_CODING_FACTS = 2 };
typedef struct sri_coding_fact {
    const char *name;
    int64_t value;
} sri_coding_fact;

struct sri_coding_ops {
    const char *name;
    const sri_param *params; /* a value without a key is the first one's */
    int n_params;
    /* Words are of -1 and 1, and `decode` says how outputs are compared with them; 0 in a column
     * leaves the class out of it: its rows do not train that output. */
    bool signs;
    bool by_pairs;   /* a column for each pair of classes a < b, in the order of (a, b)      */
    bool takes_file; /* its words are those of a file, which the caller reads: no fill       */
    /* Optional: parameters it cannot take, before any data is known. */
    specreg_status (*check)(specreg_context *ctx, const sri_coding_spec *spec);
    /* Columns of Y; NULL: as many as its words have. */
    int64_t (*width)(const sri_coding_spec *spec, int64_t n_classes);
    /* Either the words, n_classes x width, all of one length: the nearest one wins.  They are kept
     * in the model. */
    specreg_status (*fill)(specreg_context *ctx, const sri_coding *self, double *word);
    /* Or the word of a class by a rule, and scores (n_classes) from one row of outputs (width). */
    void (*row)(const sri_coding *self, int64_t class, double *word);
    void (*scores)(const sri_coding *self, const double *outputs, double *scores);
    /* Of a coding with a rule: the expected scores of a class whose probability is 1 and 0. */
    void (*ends)(const sri_coding *self, double *one, double *zero);
    /* Optional: what follows from the parameters and the classes, at most SRI_CODING_FACTS. */
    int (*describe)(const sri_coding *self, sri_coding_fact *facts);
};

/* One against all: +1 in the class's column, -1 elsewhere; two classes share one column. */
extern const sri_coding_ops sri_coding_ova;
extern const sri_coding_ops sri_coding_ab;      /* a in the class's column, b elsewhere */
extern const sri_coding_ops sri_coding_simplex; /* vertices of a regular simplex        */
extern const sri_coding_ops sri_coding_bch;     /* error-correcting words of signs      */
extern const sri_coding_ops sri_coding_random;  /* words of random signs, and zeros     */
extern const sri_coding_ops sri_coding_dense;   /* words of random signs                */
extern const sri_coding_ops sri_coding_ovo;     /* one against one: a column for each pair */
extern const sri_coding_ops sri_coding_file;    /* words of signs from a file           */

/* "name", "name:key=value,...". */
specreg_status sri_coding_parse(specreg_context *ctx, const char *text, sri_coding_spec *out);
void sri_coding_spec_free(sri_coding_spec *spec);
/* Of a coding that takes no file. */
specreg_status sri_coding_new(specreg_context *ctx, const sri_coding_spec *spec, int64_t n_classes,
                              sri_coding **out);
/* With words (or NULL, where they follow a rule) of `width` entries that are taken over. */
specreg_status sri_coding_of_words(specreg_context *ctx, const sri_coding_spec *spec,
                                   int64_t n_classes, double *word, int64_t width,
                                   sri_coding **out);
/* Columns of Y; 0: the words tell. */
int64_t sri_coding_width(const sri_coding_spec *spec, int64_t n_classes);
/* Words of signs from outside: entries other than -1, 0 and 1, equal words, classes that no output
 * could tell apart and columns that are no problem of two kinds of classes are errors, which name
 * `source`. */
specreg_status sri_codewords_check(specreg_context *ctx, const char *source, const double *word,
                                   int64_t n_classes, int64_t width);
void sri_coding_free(sri_coding *coding);

/* Y (n x width, row-major) from class numbers. */
void sri_encode(const sri_coding *coding, const int32_t *classes, int64_t n, double *Y);
/* scores (n_classes) from one row of outputs (width). */
void sri_coding_scores(const sri_coding *coding, const double *outputs, double *scores);
/* The class with the largest score. */
int32_t sri_decode(const sri_coding *coding, const double *outputs, double *scores);
/* How much the scores of a row speak for class c: of two classes half the difference to the other
 * one's, with `ova` its score; of more its score. */
static inline double sri_class_score(const double *scores, int64_t n_classes, int64_t c)
{
    return n_classes == 2 ? (scores[c] - scores[1 - c]) / 2 : scores[c];
}
/* Where the expected score of a class is an affine function of its probability:
 * p = slope s + shift.  Slope 0: it is not. */
typedef struct sri_posterior {
    double slope, shift;
} sri_posterior;
sri_posterior sri_coding_posterior(const sri_coding *coding);
/* Whether the outputs that decode to a class are a convex set. */
bool sri_coding_is_convex(const sri_coding *coding);

/* The coding of that name with its defaults; false: there is none. */
bool sri_coding_named(const char *name, sri_coding_spec *out);
extern const char *const sri_decodings[SRI_DECODINGS]; /* their names */
bool sri_decoding_named(const char *name, sri_decoding *out);

#endif

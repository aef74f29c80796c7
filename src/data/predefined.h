/* Predefined features, which are not penalised: how columns of P are made of rows.
 *
 *     constant         1
 *     poly:degree=q    all monomials of the numeric features up to the total degree q, 1 among them
 *  columns:a,b features of the table, as they stand in it; a text is a column for each category
 *     file:F           the numbers of another table, row by row
 *     plsa:topics=k    shares of topics of documents, or of rows of counts
 *
 * Monomials are of the scaled features: they span the same, and are good numbers.  People read the
 * coefficients of the features as they stand in the table: sri_predefined_natural. */
#ifndef SRI_DATA_PREDEFINED_H
#define SRI_DATA_PREDEFINED_H

#include "core/text.h"
#include "data/encode.h"

enum { SRI_PREDEFINED_TERMS = 8 };

/* What features are made of. */
typedef struct sri_predefined_rows {
    const sri_encoder *encoder;
    const sri_matrix *X;        /* as the encoder has them                        */
    const specreg_table *table; /* rows[0 .. X->n) of it                          */
    const int64_t *rows;
    const specreg_table *file; /* for `file`: rows as the table's; NULL: none    */
    bool documents;            /* training had documents: plsa counts their words */
    uint64_t seed;             /* for learning                                   */
} sri_predefined_rows;

typedef struct sri_predefined_ops sri_predefined_ops;
typedef struct sri_predefined sri_predefined;

typedef struct sri_predefined_term {
    const sri_predefined_ops *ops;
    char *text;      /* what follows the name                                  */
    int degree;      /* poly                                                   */
    int64_t l;       /* columns of P; 0: not learned yet                       */
    int64_t *column; /* poly, columns: columns of X                            */
    int64_t n_columns;
    double *slope, *at;      /* n_columns: the scaled feature is slope times it plus at */
    int *power;              /* poly: l x n_columns                                    */
    struct sri_plsa *topics; /* plsa                                              */
} sri_predefined_term;

struct sri_predefined_ops {
    const char *name;
    bool takes_names;  /* what follows its name are names, in which a '+' may be      */
    bool only_once;    /* a list of terms has at most one of its kind                 */
    bool needs_file;   /* rows need a table beside their own                          */
    bool is_one;       /* l is 1                                                      */
    bool one_for_each; /* l is n_columns: a column of P for each column of X          */
    bool has_powers;   /* term->power is there                                        */
    bool has_topics;   /* term->topics are there                                      */
    const char *asks;  /* the failure where nothing follows the name; NULL: that is allowed */
    /* What follows the name, in term->text; NULL: anything goes. */
    specreg_status (*parse)(specreg_context *ctx, sri_predefined_term *term);
    /* Learns l from training rows, of which there must be more than columns, and names the
     * columns by sri_predefined_add_name. */
    specreg_status (*learn)(specreg_context *ctx, sri_predefined_term *term,
                            const sri_predefined_rows *rows, sri_predefined *p);
    /* l columns of P, whose rows are `width` numbers. */
    specreg_status (*fill)(specreg_context *ctx, const sri_predefined_term *term,
                           const sri_predefined_rows *rows, double *P, int64_t width);
};

struct sri_predefined {
    sri_predefined_term term[SRI_PREDEFINED_TERMS];
    int n_terms;
    bool pivots;      /* variant=paper                                            */
    bool drop;        /* dependent=drop                                           */
    int64_t all;      /* columns of all terms                                     */
    int64_t l;        /* those that are kept                                      */
    int64_t *kept;    /* l: their numbers                                         */
    char **name;      /* all                                                      */
    int64_t capacity; /* of name                                               */
};

/* The text of --features; "none" has no terms. */
specreg_status sri_predefined_parse(specreg_context *ctx, const char *text, sri_predefined *out);
void sri_predefined_free(sri_predefined *p);
/* A copy of terms as they were written: nothing has been learned yet. */
specreg_status sri_predefined_copy(specreg_context *ctx, const sri_predefined *p,
                                   sri_predefined *out);
/* One more column of all terms. */
specreg_status sri_predefined_add_name(specreg_context *ctx, sri_predefined *p, const char *name);
/* Learns from training rows; all columns are kept. */
specreg_status sri_predefined_learn(specreg_context *ctx, sri_predefined *p,
                                    const sri_predefined_rows *rows);
/* Leaves kept column k out. */
void sri_predefined_leave(sri_predefined *p, int64_t k);
/* P (n x l, newly allocated) of any rows. */
specreg_status sri_predefined_fill(specreg_context *ctx, const sri_predefined *p,
                                   const sri_predefined_rows *rows, double **P);
/* The name of kept column k. */
static inline const char *sri_predefined_name(const sri_predefined *p, int64_t k)
{
    return p->name[p->kept[k]];
}
/* The topics of its term plsa; NULL: it has none. */
struct sri_plsa *sri_predefined_topics(const sri_predefined *p);
/* The file whose rows are columns of P; NULL: there is none. */
const char *sri_predefined_path(const sri_predefined *p);
/* Whether a term counts the words of documents. */
bool sri_predefined_counts(const sri_predefined *p);
/* out (all x T): coefficients of the features as they stand in the table, from beta (l x T);
 * columns that were left out count as 0, but monomials of scaled features may be made of them. */
specreg_status sri_predefined_natural(specreg_context *ctx, const sri_predefined *p,
                                      const double *beta, int64_t T, double *out);

/* The kind whose name the text begins with, up to a ':', a ',', a '+', a blank or the end; NULL:
 * none. */
const sri_predefined_ops *sri_predefined_at(const char *text);
/* Whether the last term is of a kind that only one term may have, and not the first of it. */
bool sri_predefined_is_repeated(const sri_predefined *p);
/* The kinds (predefined_terms.c, predefined_topics.c). */
extern const sri_predefined_ops sri_predefined_constant, sri_predefined_poly,
    sri_predefined_columns, sri_predefined_file, sri_predefined_plsa;

#endif

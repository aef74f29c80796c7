/* A model as plain arithmetic, which other formats can carry:
 *
 *     x       of a row, by scaling, categories and fills
 *     f(x)    = sum_j sum_i k_j(x, z_i) a_ij  (times a factor of the row's task)
 *               + slope' x + beta' phi(x)
 *     scores  of f, by a coding; or f itself
 *
 * where k_j are products of functions of one number per pair. */
#ifndef SRI_EXPORT_PLAIN_H
#define SRI_EXPORT_PLAIN_H

#include "core/arena.h"
#include "model/model.h"

/* A column that the caller gives. */
typedef struct sri_plain_input {
    const char *name;
    char number[32];         /* where its name is a number                                */
    const sri_feature *text; /* its categories are of this feature; NULL: it holds numbers */
    const sri_target *tasks; /* it names the task: categories are these labels            */
} sri_plain_input;

/* A column of x, or, of a text, several: those of a feature of the encoder. */
typedef struct sri_plain_column {
    const sri_feature *feature; /* NULL: a sparse column, x = factor times the number */
    int64_t input, at;          /* which it is made of; where it stands in x           */
    double factor;
} sri_plain_column;

/* A number times the product of powers of some x; 1 where there are none. */
typedef struct sri_plain_term {
    const sri_predefined_term *of;
    int64_t index; /* among the columns of `of` */
} sri_plain_term;

typedef struct sri_plain {
    const specreg_model *model;
    sri_arena memory; /* all of it */
    int64_t inputs;
    sri_plain_input *input;
    int64_t p, columns; /* numbers of x; what they are made of */
    sri_plain_column *column;
    int64_t T, scores; /* outputs f; scores */
    sri_kernel kernel;
    int products;         /* of the kernel                                                  */
    int64_t n;            /* centres; 0: there are none, and no products                    */
    const double *centre; /* n x p                                                          */
    const double *coefficient[SRI_KERNEL_TERMS]; /* n x T, of each product                    */
    bool same_coefficients;                      /* of all products                           */
    const double *task_factor[SRI_KERNEL_TERMS]; /* (tasks + 1) x n, the last of others; NULL */
    int64_t tasks;                               /* 0: there are none                        */
    bool is_field; /* the kernel has matrices for values: coefficients are vectors    */
    sri_field field;
    const double *slope; /* slopes x T; NULL: there are none                                */
    int64_t slopes;
    const int32_t *slope_column; /* NULL: all columns of x                                    */
    int64_t terms;
    sri_plain_term *term;
    const double *beta; /* terms x T                                                       */
} sri_plain;

/* Fails with the reason where a model is no such arithmetic.  `format` is what messages call the
 * format.  The model must outlive it. */
specreg_status sri_plain_make(specreg_context *ctx, const specreg_model *model, const char *format,
                              sri_plain *out);
void sri_plain_free(sri_plain *plain);

/* The name of a score: a target, a class or a coordinate. */
const char *sri_plain_score(const sri_plain *plain, int64_t score);
/* How much output t adds to a score, of a decoding that is linear. */
double sri_plain_share(const sri_plain *plain, int64_t score, int64_t t);
/* Whether a gap in a row is filled in. */
static inline bool sri_plain_fills(const sri_plain *plain)
{
    return sri_missing_fills(plain->model->encoding.encoder->missing);
}
/* How many categories an input has, 0 of numbers, and the text of one. */
int64_t sri_plain_categories(const sri_plain_input *input);
const char *sri_plain_category(const sri_plain_input *input, int64_t index);

/* Each writes a model to a file; what the format cannot carry is an error that names it. */
specreg_status sri_export_onnx(specreg_context *ctx, const specreg_model *model, const char *path);
specreg_status sri_export_libsvm(specreg_context *ctx, const specreg_model *model,
                                 const char *path);
specreg_status sri_export_c(specreg_context *ctx, const specreg_model *model, const char *path);

#endif

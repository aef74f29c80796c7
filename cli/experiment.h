/* What the experiments with settings of their own share: random numbers, tables of them, fits,
 * claims.  All but trend are of Baldassarre, Rosasco, Barla and Verri, "Multi-Output Learning via
 * Spectral Filtering". */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "cli.h"

/* experiment_random.c: value k of a stream is a hash of the seed, the stream and k: the same on
 * every machine, and no stream depends on how much another was used. */
typedef struct exp_random {
    uint64_t key, count;
} exp_random;
/* The stream of up to four whole numbers: experiment, case, size, repetition. */
exp_random exp_random_for(uint64_t seed, int64_t a, int64_t b, int64_t c, int64_t d);
double exp_uniform(exp_random *r); /* in (0, 1)                        */
double exp_normal(exp_random *r);  /* mean 0, deviation 1 (Box-Muller) */
void exp_shuffle(exp_random *r, int64_t *list, int64_t count);

/* experiment_options.c: what the user asked for. */
enum { EXP_MOST_SIZES = 32 };
typedef struct exp_request {
    uint64_t seed;
    int repeats, n_sizes;
    int64_t size[EXP_MOST_SIZES];
    double width;  /* of kernels, where an experiment has one      */
    double spread; /* of the Gaussians that are learned, likewise */
} exp_request;
/* Reads --seed, --repeats, --sizes, --width and --spread over the given ones; refuses options of
 * fit that the experiments set themselves. */
int exp_request_read(const cli *c, exp_request *request);
const char *exp_data_folder(const cli *c);
/* New options with those of the user that every experiment passes on. */
int exp_options_new(cli *c, specreg_options **out);
int exp_check_file(const char *path); /* says what to do when it is not there */
double exp_now(void);

/* experiment_fit.c: tables and fits. */
typedef struct exp_setting {
    const char *name, *value; /* an option of fit; a NULL name ends the list */
} exp_setting;
/* A table of n rows: p columns of x, T of y (or none), with names. */
int exp_table(cli *c, int64_t n, const double *x, int p, const char *const *x_names,
              const double *y, int T, const char *const *y_names, specreg_table **out);
/* Fits; `validate` (or NULL) becomes the file of --select file.  `record` may be NULL. */
int exp_fit(cli *c, const specreg_table *train, const specreg_table *validate,
            const exp_setting *settings, specreg_model **model, json_t **record);
/* The predictions for the rows of a table, T numbers a row. */
int exp_predict(cli *c, const specreg_model *model, const specreg_table *data, double *predictions);
/* Both. */
int exp_fit_predict(cli *c, const specreg_table *train, const specreg_table *validate,
                    const exp_setting *settings, const specreg_table *test, double *predictions,
                    json_t **record);
double exp_number(const json_t *record, const char *path); /* NaN when absent */

/* experiment_report.c: numbers and claims. */
double exp_mean(const double *value, int64_t count);
double exp_stddev(const double *value, int64_t count); /* with n - 1; 0 for one value */
double exp_median(const double *value, int64_t count);
/* Mean angle in degrees between (v, 1) and (w, 1), equation 33; fields of two components. */
double exp_angle(const double *v, const double *w, int64_t count);
json_t *exp_numbers(const double *value, int64_t count);
/* What the paper says and whether it holds here: a line, and an entry of the record's "claims". */
typedef struct exp_claims {
    json_t *list;
    int held;
    bool show;
} exp_claims;
exp_claims exp_claims_new(const cli *c);
void exp_claim(exp_claims *claims, bool holds, const char *paper, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The last line, the JSON record (takes `body`, to which name and claims are added), the table. */
int exp_finish(cli *c, const char *name, const exp_request *request, exp_claims *claims,
               json_t *body, const cli_columns *columns);

#endif

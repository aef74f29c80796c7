/* What the experiments share: their entry in the list, options, random numbers, fits with given
 * settings, statistics, and the claims of a paper. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "cli/common.h"

/* The options that belong to the experiments; values lie in cli.value[id]. */
enum {
    EXP_DATA = CLI_FIRST_FREE,
    EXP_SETS,
    EXP_SPLITS,
    EXP_REPEATS,
    EXP_SIZES,
    EXP_ALL,
    EXP_SVM,
    EXP_WIDTH,
    EXP_SPREAD,
    EXP_QUICK, /* every experiment takes it */
    EXP_OPTIONS_END
};
_Static_assert((int)EXP_OPTIONS_END <= (int)CLI_OPTION_COUNT, "cli.value has a place for every id");

typedef struct experiment {
    const char *name;
    const char *time;    /* of a run without options, on two cores: "20 s"                 */
    const char *data;    /* the sub-folder of the data folder that it reads, or NULL: none */
    const char *paper;   /* authors, figures or tables; NULL: in no paper                  */
    const char *subject; /* half a line                                                    */
    const char *about;   /* its paragraph of the help                                      */
    /* The fits as commands of specreg, one a line: TRAIN, TEST and the like stand for its rows. */
    const char *commands;
    int options[8];     /* those of the options above, and CLI_OUTPUT, that it takes; then -1 */
    int (*run)(cli *c); /* gives the exit code                                            */
} experiment;

extern const experiment exp_ida, exp_multitask, exp_field1, exp_field2, exp_school, exp_currents,
    exp_trend, exp_unlabelled, exp_saturation, exp_loo, exp_newsgroups, exp_faces, exp_usps4,
    exp_faces_approx, exp_sparse_tasks, exp_grls_text, exp_timing, exp_scale;

/* main.c */
const experiment *exp_at(int index);          /* NULL after the last           */
const experiment *exp_find(const char *name); /* NULL: there is none of that name */
/* list.c: one line for each experiment; only the names with --quiet. */
int exp_list(cli *c);

/* random.c: value k of a stream is a hash of the seed, the stream and k.  It is the same on every
 * computer, and no stream depends on how much of another was used. */
typedef struct exp_random {
    uint64_t key, count;
} exp_random;
/* The stream that belongs to up to four whole numbers: experiment, case, size, repetition. */
exp_random exp_random_for(uint64_t seed, int64_t a, int64_t b, int64_t c, int64_t d);
double exp_uniform(exp_random *r); /* in (0, 1)                        */
double exp_normal(exp_random *r);  /* mean 0, deviation 1 (Box-Muller) */
void exp_shuffle(exp_random *r, int64_t *list, int64_t count);

/* options.c: what the user asked for. */
enum { EXP_MOST_SIZES = 32 };
typedef struct exp_request {
    uint64_t seed;
    int repeats, n_sizes;
    int64_t size[EXP_MOST_SIZES];
    int64_t largest; /* that --sizes may name; 0: 2,000 */
    double width;    /* of the kernels, where an experiment fixes it        */
    double spread;   /* deviation of the Gaussians that field1 is made from */
} exp_request;
/* Replaces the defaults in `request` by --seed, --repeats, --sizes, --width and --spread where they
 * are given; --quick makes the numbers of repetitions and sizes small.  Refuses those options of
 * fit that the experiments set themselves. */
int exp_request_read(const cli *c, exp_request *request);
const char *exp_data_folder(const cli *c); /* what --data or SPECREG_DATA names; NULL: neither */
int exp_check_data_folder(const cli *c);   /* refuses to go on without one */
/* Whether a file can be read; if not, `folder` says which folder --data should name. */
int exp_check_file(const char *path, const char *folder);
/* The sets that --sets or, without it, `usual` names, such as "banana,heart" or "all", as indices
 * into `names`, which ends with NULL. */
enum { EXP_MOST_SETS = 16 };
typedef struct exp_sets {
    int count;
    int index[EXP_MOST_SETS];
} exp_sets;
int exp_sets_read(const cli *c, const char *usual, const char *const *names, exp_sets *sets);
/* New options that hold --seed, --threads and the like as the user gave them. */
int exp_options_new(cli *c, specreg_options **out);
double exp_now(void);       /* seconds of a clock that only goes forward */
double exp_processor(void); /* seconds that all threads have computed    */

/* fit.c: tables and fits. */
typedef struct exp_columns {
    const double *value; /* row by row; NULL: no columns */
    int count;
    const char *const *names;
} exp_columns;
typedef struct exp_setting {
    const char *name, *value; /* an option of fit; a NULL name ends the list */
} exp_setting;
enum { EXP_TRAIN, EXP_VALIDATE, EXP_TEST, EXP_ROLES };
int exp_table(cli *c, int64_t n, exp_columns x, exp_columns y, specreg_table **out);
/* `validate`, unless NULL, becomes the file of --select file.  `record` may be NULL. */
int exp_fit(cli *c, const specreg_table *train, const specreg_table *validate,
            const exp_setting *settings, specreg_model **model, json_t **record);
/* The path of the settings, scored on the test table. */
int exp_path(cli *c, const specreg_table *train, const specreg_table *test,
             const exp_setting *settings, json_t **record);
/* The predictions for the rows of a table, one number for each output. */
int exp_predict(cli *c, const specreg_model *model, const specreg_table *data, double *predictions);
/* Fits, and predicts the test table.  The validation table may be NULL. */
int exp_fit_predict(cli *c, specreg_table *const *tables, const exp_setting *settings,
                    double *predictions, json_t **record);
/* Options name files, and some rows are in memory only: a temporary folder and the name of a file
 * in it; and with the rows of a table written there. */
int exp_temporary_new(char **folder, char **file);
int exp_temporary_write(cli *c, const specreg_table *table, char **folder, char **file);
void exp_temporary_remove(char *folder, char *file);       /* accepts NULL */
void exp_free_tables(specreg_table **tables);              /* of all roles */
double exp_number(const json_t *record, const char *path); /* NaN when absent */

/* statistics.c */
double *exp_zeros(int64_t count); /* free() it */
double exp_mean(const double *value, int64_t count);
double exp_stddev(const double *value, int64_t count); /* with n - 1; 0 for one value */
double exp_median(const double *value, int64_t count);
void exp_sort(double *value, int64_t count); /* the smallest first */
/* Mean angle in degrees between (v, 1) and (w, 1), equation 33 of Baldassarre et al.; fields of two
 * components. */
double exp_angle(const double *v, const double *w, int64_t count);

/* report.c: what the paper claims and whether it holds here, as lines and as a record. */
json_t *exp_numbers(const double *value, int64_t count); /* null where not finite */
typedef struct exp_claims {
    json_t *list;
    int held;
    bool show;
} exp_claims;
/* Prints the commands that the experiment stands for, and the paper whose claims follow. */
exp_claims exp_claims_new(const cli *c);
/* Adds a claim; the format says what was found here. */
void exp_claim(exp_claims *claims, bool holds, const char *paper, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Prints how many claims hold and writes the JSON record (takes `body`, to which name, paper,
 * commands and claims are added) and the table. */
int exp_finish(cli *c, const char *name, const exp_request *request, exp_claims *claims,
               json_t *body, const cli_columns *columns);

#endif

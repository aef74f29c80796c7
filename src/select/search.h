/* The search: kernel candidates times the whole path, one table, one winner. */
#ifndef SRI_SELECT_SEARCH_H
#define SRI_SELECT_SEARCH_H

#include "backend/threads.h"
#include "select/rule.h"

typedef enum sri_strategy {
    SRI_SEARCH_AUTO,   /* a race from about 1,000 rows on, but lists that were written out whole */
    SRI_SEARCH_GRID,   /* every kernel, all rows; paths as far as they matter            */
    SRI_SEARCH_COARSE, /* every few kernels, then closer around the best                 */
    SRI_SEARCH_RACE,   /* every kernel on some of the rows, the best of them on all rows */
    SRI_SEARCH_EXHAUSTIVE, /* every kernel, all rows, whole paths to rounding            */
    SRI_STRATEGIES
} sri_strategy;

extern const char *const sri_strategies[SRI_STRATEGIES]; /* their names */

typedef enum sri_extend { SRI_EXTEND_AUTO, SRI_EXTEND_YES, SRI_EXTEND_NO } sri_extend;

/* Of which candidate a point is. */
typedef struct sri_seen {
    int64_t number; /* of the kernel     */
    const sri_kernel *kernel;
    int64_t setting; /* of the filter     */
    const sri_filter *filter;
} sri_seen;

typedef struct sri_search_spec {
    const sri_kernel_grid *grid;    /* resolved */
    const sri_filter *filter;       /* of several settings the first */
    const sri_filter_grid *filters; /* all of them; NULL: it is one  */
    const sri_values *path;         /* NULL: automatic */
    const sri_rule *rule;
    bool per_output; /* a parameter of the path for each output */
    bool one_se;     /* the smoothest within a standard error of the best, not the best */
    sri_strategy strategy;
    sri_extend extend; /* grids whose best value is their last: the automatic ones, all, none */
    const char *checkpoint; /* file of finished evaluations; NULL: none */
    const char *engine;
    int64_t planned_rows; /* costs are those of so many, of which the problem's are a sample; 0: of
                             * the problem's */
    double look_seconds;  /* as in sri_hint                                                     */
    bool inexact_as_parent; /* the search on all rows goes to a tolerance, and so does this one   */
    int64_t smallest;       /* rows of the smallest training part; 0: as the trials have it */
    /* Optional: sees every point trained on all rows, with the number of its kernel. */
    specreg_status (*watch)(specreg_context *ctx, void *payload, const sri_seen *seen,
                            const sri_path_point *point);
    void *payload;
} sri_search_spec;

typedef struct sri_search_row {
    int64_t candidate;  /* number of the kernel          */
    int64_t evaluation; /* number of the run it is from  */
    int64_t setting;    /* of the filter                 */
    double step;        /* the filter's, in force        */
    double param;
    sri_score score;
    bool left;     /* it was not computed: its kernel, or the rest of the path, had fallen behind */
    int64_t order; /* in which it was computed */
} sri_search_row;

/* What a rule chose, among others (--select compare). */
typedef struct sri_choice {
    const char *rule, *criterion;
    int form;          /* of the bound; 0: it is none                        */
    char why_not[200]; /* not empty: the rule is not for this problem        */
    sri_kernel kernel;
    int64_t setting; /* of the filter */
    double step, param;
    double value, df;                 /* NaN: not known; the value as people know it       */
    double test_mse, test_error_rate; /* NaN: there is no test file, or no class     */
} sri_choice;

struct sri_search_notes {
    char text[6][200];
    int count;
    sri_choice *choice; /* of several rules; NULL: one was asked for */
    int64_t choices;
};

/* One point of a path, trained on all rows. */
typedef struct sri_fitted {
    int64_t n_centres; /* rows of alpha */
    double *alpha; /* n_centres x T; NULL: it was judged by trials, none is trained on all rows */
    double *residual; /* n x T; likewise                                                    */
    double *slope;    /* n_slopes x T: those of a linear kernel; NULL: alpha tells them     */
    int64_t n_slopes;
    double *beta;          /* l x T: with alpha, where there are unpenalised terms               */
    double *held_out;      /* n x T: residuals without the row, or its fold; NULL: none          */
    const char *held_by;   /* the rule that held them out: "loo", "kfold"                        */
    double *each;          /* T: the parameter of each output; NULL: one for all                 */
    double df;             /* NaN when the engine does not tell                                  */
    double df_stderr;      /* of an estimate; 0: df is exact                                     */
    sri_coupling *learned; /* the coupling of its kernel, where that is learned; else NULL     */
    bool ended;            /* learning had come to an end                                      */
} sri_fitted;

/* How long kernel values, solving and judging took. */
typedef struct sri_seconds {
    double gram, solve, select;
    double centres; /* of gram: choosing fewer centres than rows */
} sri_seconds;

typedef struct sri_search_result {
    sri_kernel *candidate; /* the kernels tried */
    int64_t candidates;
    sri_search_row *row;
    int64_t rows;
    int64_t winner;    /* its row                                     */
    sri_kernel kernel; /* the winner ... */
    sri_filter filter; /* ... its filter, prepared */
    double param;
    sri_score score;                 /* value NaN: nothing was compared            */
    sri_fitted fitted;               /* the winner trained on all rows             */
    const sri_engine *engine;        /* that trained the winner                    */
    const sri_engine *search_engine; /* that ran the search; NULL: none was needed */
    int64_t smallest;                /* rows of the smallest training part         */
    sri_report report;
    sri_seconds seconds;
    struct sri_search_notes notes; /* what a person should know of how it went */
} sri_search_result;

/* The rule that `auto` (ops NULL) stands for in this search; any other as it is, its path by
 * reference. */
sri_rule sri_search_rule(const sri_rule *rule, const sri_problem *problem,
                         const sri_search_spec *spec);
/* Whether rows can be left out one by one without training anew. */
bool sri_search_may_leave_out(const sri_problem *problem, const sri_search_spec *spec);
/* Likewise the strategy. */
sri_strategy sri_search_strategy(sri_strategy strategy, const sri_problem *problem,
                                 const sri_search_spec *spec);
/* What does not go together is an error: in a search; a rule beside groups of rows, or outputs that
 * train on some rows; a rule that knows the parameter beforehand. */
specreg_status sri_search_check(specreg_context *ctx, const sri_problem *problem,
                                const sri_search_spec *spec);
specreg_status sri_search_check_rule(specreg_context *ctx, const sri_problem *problem,
                                     const sri_rule *rule);
specreg_status sri_search_check_fixed(specreg_context *ctx, const sri_search_spec *spec);
/* The settings of the filter, with all of which each kernel is tried; kernels times settings. */
int64_t sri_search_settings(const sri_search_spec *spec);
const sri_filter *sri_search_setting(const sri_search_spec *spec, int64_t index);
int64_t sri_search_candidates(const sri_search_spec *spec);
/* The path of one kernel and setting of the filter over all training rows, `smallest` rows in the
 * smallest training part. */
specreg_status sri_search_path(specreg_context *ctx, const sri_search_spec *spec,
                               const sri_filter *filter, sri_op *op, int64_t smallest,
                               sri_values *out);

specreg_status sri_search(specreg_context *ctx, const sri_problem *problem,
                          const sri_search_spec *spec, sri_search_result *out);
void sri_search_result_free(sri_search_result *result);
void sri_fitted_free(sri_fitted *fitted);
void sri_seconds_add(sri_seconds *sum, const sri_seconds *more);
void sri_search_note(sri_search_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Below some hundred rows threads wait for each other longer than they work: one is used until
 * sri_threads_leave(before). */
void sri_search_threads(int64_t rows, sri_threads *before);

/* Several functions of one kernel: f_j(x) = sum_i k(x, z_i) A_ij. */
typedef struct sri_predictors {
    const sri_kernel *kernel;
    const sri_points *centres; /* the n points z_i    */
    const double *A;           /* n x width           */
    int64_t width;             /* how many there are  */
} sri_predictors;

/* F (rows->n x width, row-major) = K(rows, centres) A, in blocks of rows. */
specreg_status sri_predict_rows(specreg_context *ctx, const sri_predictors *f,
                                const sri_rows_view *rows, double *F);

#endif

/* What a call that learns did, for people; its JSON form is a record.  Predictions never depend on
 * it. */
#ifndef SRI_MODEL_REPORT_H
#define SRI_MODEL_REPORT_H

#include "kernel/kept.h"
#include "measure/errors.h"
#include "model/prepare.h"
#include "portrait/portrait.h"
#include "sums/search.h"

/* What names and weighs the rows, where something does. */
typedef struct sri_rows_report {
    char *group, *task_column, *weights; /* columns; NULL: none                      */
    int64_t groups, tasks;
    double *class_weight;     /* of each class; NULL: none is given                  */
    int64_t *missing_targets; /* of each output; NULL: none may be missing           */
} sri_rows_report;

/* What was learned from; names of targets, classes and inputs are the model's. */
typedef struct sri_data_report {
    char *file;
    const char *format; /* a static text */
    char delimiter;     /* 0: none       */
    bool header;
    int64_t n, p, outputs, dropped_rows;
    int64_t points; /* 0: rows are points */
    sri_problem_kind problem;
    sri_rows_report rows;
} sri_data_report;

/* One parameter that took several values. */
typedef struct sri_searched {
    enum { SRI_OF_KERNEL, SRI_OF_OUTPUTS, SRI_OF_FILTER } of;
    int term; /* of a sum; -1: it stands alone */
    const char *name;
    int64_t values; /* how many different ones */
    double least, largest, chosen;
} sri_searched;

/* A point that was tried, with its score as people know it. */
typedef struct sri_tried {
    int64_t candidate, setting;       /* the kernel, and the filter's parameters */
    double step;                      /* the filter's                            */
    double param, value, stderr_, df; /* NaN: not known; of param: of the whole kernel */
    bool left;                        /* it was not computed, having fallen behind before */
} sri_tried;

enum {
    SRI_MOST_SEARCHED =
        SRI_KERNEL_TERMS * (SRI_KERNEL_PARAMS + SRI_OUTPUTS_PARAMS) + SRI_FILTER_PARAMS + 2
};

typedef struct sri_selection_report {
    const char *method, *criterion;
    double value, stderr_; /* of the point that was taken */
    bool exact, one_se;
    sri_strategy strategy;
    sri_rule rule;            /* its numbers in force; its path is its own */
    const sri_engine *engine; /* that ran the search; NULL: none           */
    double bound;             /* on the error of held-out residuals; 0: none */
    sri_kernel *candidate;    /* by the names in the search report         */
    sri_kernel_grid grid;     /* their couplings, without matrices         */
    sri_filter_grid settings; /* of the filter; of one none                */
    sri_choice *choice;       /* of several rules; NULL: none; kernels as in `candidate` */
    int64_t choices;
    sri_tried *tried; /* the table                                 */
    int64_t rows;
    sri_searched searched[SRI_MOST_SEARCHED];
    int n_searched;
} sri_selection_report;

/* Sentences.  An allocation that fails is noticed by sri_notes_check. */
typedef struct sri_notes {
    char **text;
    int64_t count, capacity;
    bool failed;
} sri_notes;

void sri_note(specreg_context *ctx, sri_notes *notes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
specreg_status sri_notes_check(specreg_context *ctx, const sri_notes *notes);
void sri_notes_free(sri_notes *notes);
/* The number of values that a target, or column of coded classes, has, their mean and mean square.
 * Points for one output are labelled by their target. */
int64_t sri_target_moments(const sri_problem *problem, int64_t target, double *mean,
                           double *square);
/* How many eigenvalues a cut-off keeps: of the kernel matrix, on average over coupled outputs; by a
 * number of components of all coupled outputs together. */
int64_t sri_kept_eigenvalues(const sri_prepared *p, const sri_search_result *result);
/* How the search went: what gave way, what was left out (notes.c). */
void sri_notes_search(specreg_context *ctx, const sri_search_result *result, sri_notes *notes);
/* A choice at the edge of its range, targets far from 0, numbers that look like classes. */
void sri_notes_fit(specreg_context *ctx, const sri_prepared *p, const sri_search_result *result,
                   sri_notes *notes);

/* Fewer centres than rows; kind auto: none of it. */
typedef struct sri_approx_report {
    sri_approx_kind kind;
    const char *centres; /* how they were chosen */
    sri_sums_facts facts;
} sri_approx_report;

/* What a search found. */
typedef struct sri_search_report {
    sri_kept_kernel kernel;
    sri_kept_filter filter;
    sri_approx_report approx;
    const sri_engine *engine; /* that trained the model */
    sri_report run;
    bool single;          /* --precision single */
    double df, df_stderr; /* NaN: not known; 0: exact */
    sri_selection_report selection;
    sri_notes notes;
} sri_search_report;

typedef struct sri_times {
    double read, gram, solve, select, total; /* seconds */
    double centres;                          /* of gram; 0: none were chosen */
    int64_t peak_bytes;
} sri_times;

/* Of a search, and the memory so far. */
sri_times sri_times_of(const sri_search_result *result, double read, double total);

/* Rows without targets. */
typedef struct sri_semi_report {
    char *file; /* NULL: there are none */
    int64_t rows;
    bool has_graph;
    sri_graph_spec graph;
    int64_t parts;            /* of the graph                       */
    int64_t tried;            /* strengths that were compared ...   */
    double *strength, *value; /* ... and the best score of each     */
} sri_semi_report;

typedef struct sri_fit_report {
    sri_data_report data;
    sri_text_counts text; /* of documents */
    sri_semi_report semi;
    sri_search_report search;
    sri_errors train;         /* errors on the training rows */
    sri_portrait *portrait;   /* NULL: there is none         */
    specreg_options *options; /* as they were given          */
    struct sri_words_inside { /* of words chosen by labels: the error with words chosen in folds */
        const sri_measure *measure;
        double value;
        int64_t folds; /* 0: not known */
    } words_inside;
    sri_notes notes;
    uint64_t seed;
    int threads;
    sri_times times;
} sri_fit_report;

/* Of coordinates: kernel principal components, or those in the span of some centres. */
typedef struct sri_kpca_report {
    sri_data_report data;
    char **carried; /* columns that are no inputs */
    int64_t n_carried;
    int64_t components;
    bool centred;
    double trace;
    double *eigenvalue;       /* components, falling; NULL: none    */
    sri_approx_report approx; /* of centres, where there are no eigenvalues */
    uint64_t seed;
    int threads;
    sri_times times;
} sri_kpca_report;

/* Of a model that comes from the file of another program. */
typedef struct sri_import_report {
    char *file;
    const char *format, *type; /* what the program calls it; static texts */
    int64_t vectors;           /* centres that the file has               */
    bool lacks_probabilities;  /* the file also has what they are made of */
} sri_import_report;

specreg_status sri_data_report_make(specreg_context *ctx, const sri_dataset *d,
                                    sri_data_report *out);
void sri_data_report_free(sri_data_report *report);
specreg_status sri_search_report_make(specreg_context *ctx, const sri_prepared *p,
                                      const sri_search_result *result, sri_search_report *out);
void sri_search_report_free(sri_search_report *report);
/* Before the model takes over what it needs. */
specreg_status sri_fit_report_make(specreg_context *ctx, const sri_prepared *p,
                                   const sri_search_result *result, sri_fit_report **out);
/* After that: takes the kernels that were tried from the search, and the time. */
void sri_fit_report_close(sri_prepared *p, sri_search_result *result, sri_fit_report *report);
void sri_fit_report_free(sri_fit_report *report);       /* accepts NULL */
void sri_kpca_report_free(sri_kpca_report *report);     /* accepts NULL */
void sri_import_report_free(sri_import_report *report); /* accepts NULL */

#endif

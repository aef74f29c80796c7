/* What a call is asked to do: its options as typed values, checked once and never changed.  Texts
 * belong to the options, which must outlive the recipe.  A variant is a copy with other values;
 * only the recipe that was parsed is freed. */
#ifndef SRI_MODEL_RECIPE_H
#define SRI_MODEL_RECIPE_H

#include "data/predefined.h"
#include "data/roles.h"
#include "select/search.h"
#include "sums/centres.h"

/* How a table becomes rows, inputs and targets. */
typedef struct sri_reading {
    sri_role_names roles;
    const char *class_weight; /* by class; "": none                                */
    const char *text;         /* how documents become inputs; "": the table has none */
    sri_problem_kind problem;
    bool field; /* the problem is a field, or the kernel is one of fields          */
    sri_missing missing;
    bool missing_given, unseen_given; /* else a model says it */
    bool refuses_unseen;              /* --unseen error       */
    sri_date_order dates;
    bool gaps;        /* --missing-targets allow                                   */
    bool unlabelled;  /* --missing-targets unlabelled                              */
    bool tasks_alike; /* --task-weight tasks                                       */
    /* All tasks, where a table is a part of another one; NULL: those it names.  Not owned. */
    const sri_target *tasks;
    sri_coding_spec coding;
    sri_scale scale;
    bool scale_auto;           /* nobody asked for it: sparse data stay as they are     */
    const char *features_file; /* rows of unpenalised terms from a file; "": none  */
} sri_reading;

/* Rows without targets, and the graph that all rows make. */
typedef struct sri_semi_spec {
    const char *file; /* NULL: none but those of the training table */
    bool has_graph;
    sri_graph_spec graph; /* but for its strength */
    sri_values strength;
} sri_semi_spec;

/* What is searched, and how. */
typedef struct sri_choices {
    sri_kernel_grid kernel; /* as it was written: no width is filled in, no coupling made */
    sri_predefined unpenalised;
    bool unpenalised_auto; /* nobody asked for them */
    sri_approx approx;
    sri_filter_grid filters; /* every setting */
    sri_values path;
    bool path_auto;
    bool per_output;              /* a parameter for each output */
    sri_rule rule;                /* ops NULL: automatic */
    bool one_se;                  /* --rule 1se          */
    const sri_measure *criterion; /* NULL: auto */
    sri_strategy strategy;
    sri_extend extend;
    const char *engine;
    const char *checkpoint; /* NULL: none */
    sri_semi_spec semi;
} sri_choices;

typedef struct sri_resources {
    int threads; /* or SRI_THREADS_... */
    int64_t memory;
    bool single; /* --precision single */
    sri_calibrate calibrate;
    uint64_t seed;
    double time; /* seconds that a search should take at most */
} sri_resources;

/* What a prediction or an evaluation adds. */
typedef struct sri_additions {
    bool proba, parts;
    double interval;     /* its level; 0: none         */
    bool local_interval; /* of a width by place        */
    int64_t top;         /* --top-k; 0: the usual number */
} sri_additions;

typedef struct sri_recipe {
    const specreg_options *options; /* for reading more tables */
    sri_reading data;
    sri_choices search;
    sri_resources resources;
    sri_additions add;
    int64_t portrait; /* rows of the portrait; 0: none is made, -1: as many as take hardly longer */
} sri_recipe;

/* The recipe is freed also after a failure. */
specreg_status sri_recipe_parse(specreg_context *ctx, const specreg_options *options,
                                sri_recipe *out);
/* Only what a prediction or an evaluation uses: how rows are read, resources, additions. */
specreg_status sri_recipe_parse_predict(specreg_context *ctx, const specreg_options *options,
                                        sri_recipe *out);
/* What the options say about the roles of columns. */
sri_role_names sri_recipe_roles(const specreg_options *options);
/* A whole number from `least` to `most`; doubles are exact up to the largest of these. */
#define SRI_LARGEST_WHOLE 9007199254740992.0
specreg_status sri_whole_option(specreg_context *ctx, const specreg_options *options,
                                sri_option which, double least, double most, int64_t *out);
/* Kernels that are positive only with polynomials among the unpenalised terms must have them. */
specreg_status sri_choices_polynomials(specreg_context *ctx, const sri_choices *search);
/* The level of an interval lies above 0 and below 1. */
specreg_status sri_check_level(specreg_context *ctx, double level);
void sri_recipe_free(sri_recipe *recipe);

#endif

/* A filter replaces 1/s by a function g(s) that is bounded for small s.  It acts on the
 * eigenvalues s of K/n; r(s) = 1 - s g(s) is what remains of the data.
 *
 * The engines ask a filter only for what they can use: its values (eval), a three-term recurrence
 * (iterate), an order of iterated resolvents (cholesky); and costs follow from what it says of
 * itself, never from its name. */
#ifndef SRI_FILTER_FILTER_H
#define SRI_FILTER_FILTER_H

#include <stdbool.h>

#include "core/context.h"
#include "core/filters.h"
#include "core/param.h"
#include "core/spec.h"
#include "op/op.h"

enum { SRI_FILTER_PARAMS = 6 };

/* What the path runs over; from smooth to rough: lambda falls, the others rise. */
typedef enum sri_path_kind {
    SRI_PATH_LAMBDA,
    SRI_PATH_T,
    SRI_PATH_COMPONENTS,
    SRI_PATH_ORDER /* of iterated Tikhonov, lambda fixed */
} sri_path_kind;

/* Krylov variants that are not a function of K alone but of y too. */
typedef enum sri_nonlinear { SRI_LINEAR, SRI_CG_ERROR, SRI_CG_RESIDUAL } sri_nonlinear;

typedef struct sri_filter sri_filter;

/* The coefficients of one step of an iteration, with R = y - K alpha:
 *     alpha_i = alpha_{i-1} + u (alpha_{i-1} - alpha_{i-2})
 *               + (w/n)(R_{i-1} + v (R_{i-1} - R_{i-2})).
 * The length of the step is part of w. */
typedef struct sri_step {
    double u, w, v;
} sri_step;

/* An iteration with fixed coefficients, whose path runs over its steps t; it takes
 * step=auto|norm|NUMBER/norm|NUMBER. */
typedef struct sri_iteration {
    sri_step (*recurrence)(const sri_filter *self, int64_t i);
    bool looks_ahead; /* v is not 0: the gradient is taken at an extrapolated point */
    /* The t that theory lets correspond to lambda, not rounded. */
    double (*steps_for)(const sri_filter *self, double lambda);
    /* It converges while the step is at most this over the norm of K/n. */
    double (*largest_step)(const sri_filter *self);
    /* Optional: whether eval has a formula for these parameters; else it takes t steps. */
    bool (*has_formula)(const sri_filter *self);
    double least_lambda;  /* the automatic path ends at the t for this, with step 1             */
    double krylov_growth; /* observed: a Krylov space reaches t = 10^d in this times d^2 steps  */
} sri_iteration;

/* alpha after `order` steps of (K + n lambda I) alpha_i = y + n lambda alpha_{i-1} from 0. */
typedef struct sri_systems {
    int order;
    double lambda;
} sri_systems;

/* A key whose values are words, not numbers. */
typedef struct sri_filter_word {
    const char *key, *values; /* the values as messages list them            */
    bool (*set)(sri_filter *self, const char *value); /* false: it does not know the value */
    const char *(*get)(const sri_filter *self);
} sri_filter_word;

/* What the theory says of a filter, for people.  B and D: |g(s)| <= B / lambda, |s g(s)| <= D. */
typedef struct sri_filter_about {
    const char *g, *r;
    const char *qualification;
    const char *lambda; /* what corresponds to lambda; NULL: it is the parameter */
    const char *bound_g, *bound_sg;
} sri_filter_about;

typedef struct sri_filter_ops {
    const char *name;
    const sri_filter_about *about; /* NULL: a user's */
    const sri_param *params;
    int n_params;
    sri_path_kind path;    /* the path's parameter ...                         */
    bool takes_components; /* ... and whether `components` may take its place  */
    bool takes_order;      /* ... or `order`, with a parameter `lambda`        */
    /* g and r at one eigenvalue s >= 0 for the whole path (sorted smooth to rough); r computed
     * without cancellation.  Required unless nonlinear. */
    void (*eval)(const sri_filter *self, double s, const double *param, int64_t count, double *g,
                 double *r);
    const sri_iteration *iteration; /* optional */
    /* Optional: for filters that are made of linear systems. */
    sri_systems (*resolvents)(const sri_filter *self, double param);
    /* Optional: cg and its kin. */
    sri_nonlinear (*nonlinear)(const sri_filter *self);
    const sri_filter_word *word; /* optional */
    bool smooth;                 /* g is smooth in s, so that Krylov spaces serve it        */
    bool truncates;              /* g is 1/s or 0: thresholds must stay above rounding      */
    /* alpha solves (K + n lambda I) alpha = y: formulas for leaving a row out are exact. */
    bool one_system;
} sri_filter_ops;

struct sri_filter {
    const sri_filter_ops *ops;
    double param[SRI_FILTER_PARAMS];
    sri_path_kind path;
    enum { SRI_STEP_AUTO, SRI_STEP_NORM, SRI_STEP_GIVEN } step_rule;
    double step;       /* tau, in force once prepared; 1 for filters without */
    double norm_share; /* SRI_STEP_NORM: tau is this over the norm      */
    int variant;       /* from ops->word->set */
    const sri_registration *user;
};

/* A filter as text, each parameter one value. */
specreg_status sri_filter_parse(specreg_context *ctx, const char *text, sri_filter *out);

/* A filter as text whose parameters may be lists or ranges, as a kernel's: all the settings that
 * they make, without repetitions.  They differ in their parameters alone. */
typedef struct sri_filter_grid {
    sri_filter *at;
    int64_t count;
} sri_filter_grid;

specreg_status sri_filter_grid_parse(specreg_context *ctx, const char *text, sri_filter_grid *out);
/* sri_path_parse for all of them. */
specreg_status sri_filter_grid_path(specreg_context *ctx, sri_filter_grid *grid, const char *text,
                                    sri_values *out, bool *is_auto);
void sri_filter_grid_free(sri_filter_grid *grid);
/* A filter with the values that it has of itself; one of its keys; its step, once all are set. */
specreg_status sri_filter_find(specreg_context *ctx, const char *name, sri_filter *out);
specreg_status sri_filter_set(specreg_context *ctx, sri_filter *filter, const char *key,
                              const char *value);
specreg_status sri_filter_check_step(specreg_context *ctx, const sri_filter *filter);
bool sri_filter_same(const sri_filter *a, const sri_filter *b);

/* Finds the step for an operator: 1/kappa^2 (auto), a share of 1/s_max by Lanczos (norm), or as
 * given, where a step that makes the iteration diverge is an error.  Filters without a step:
 * nothing to do. */
specreg_status sri_filter_prepare(specreg_context *ctx, sri_filter *filter, sri_op *op);
/* The same where kappa^2 and the largest eigenvalue of K/mass are known, both with the norm of a
 * coupling in them. */
specreg_status sri_filter_settle(specreg_context *ctx, sri_filter *filter, double kappa2,
                                 double s_max);

/* The path: values as the user wrote them ("auto", "lambda=...", "t=...", "components=..."),
 * checked, sorted from smooth to rough, without repetitions.  `scale` is kappa^2, `n` the rows. */
specreg_status sri_path_parse(specreg_context *ctx, sri_filter *filter, const char *text,
                              sri_values *out, bool *is_auto);
specreg_status sri_path_auto(specreg_context *ctx, const sri_filter *filter, int64_t n,
                             double scale, sri_values *out);
/* Smooth to rough, each value once. */
void sri_path_sort(sri_path_kind kind, sri_values *path);
const char *sri_path_name(sri_path_kind kind); /* "lambda", "t", "components", "order" */
/* Whether each point of the path is one linear system: Tikhonov, or iterated with order 1. */
bool sri_filter_is_plain(const sri_filter *filter);

/* A filter as models keep it, with the parameter that was chosen: it needs no context. */
typedef struct sri_kept_filter {
    sri_filter filter; /* its user is the one below                               */
    sri_registration *user;
    double param;
    int64_t kept; /* eigenvalues that it keeps, for filters that count them; -1   */
    double *each; /* of every output its parameter, `param` being none; NULL: one for all */
    int64_t n_each;
} sri_kept_filter;

specreg_status sri_filter_keep(specreg_context *ctx, const sri_filter *filter, double param,
                               sri_kept_filter *out);
/* Parameters of their own for the outputs; nothing where `each` is NULL. */
specreg_status sri_filter_keep_each(specreg_context *ctx, const double *each, int64_t T,
                                    sri_kept_filter *out);
void sri_kept_filter_free(sri_kept_filter *kept);

sri_nonlinear sri_filter_nonlinear(const sri_filter *filter);
/* Whether it looks at all outputs at once where they are coupled: it counts components, or is not
 * linear in them. */
bool sri_filter_sees_outputs(const sri_filter *filter);
/* The steps that evaluating g at one eigenvalue takes for a path that ends at `last`; 0: none. */
double sri_filter_eval_steps(const sri_filter *filter, double last);
/* eval of an iteration, by its recurrence on numbers: s in place of K/n, 1 in place of y. */
void sri_iteration_eval(const sri_filter *self, double s, const double *t, int64_t count, double *g,
                        double *r);
/* R + v (R - before) in place of R, whose own values move to `before`. */
void sri_look_ahead(int64_t count, double v, double *R, double *before);
const char *sri_filter_name(const sri_filter *filter);
/* NULL when there is none of that name. */
const sri_filter_ops *sri_filter_builtin(const char *name);
/* The list; NULL at its end. */
const sri_filter_ops *sri_filter_at(int index);
/* The filter's own parameters, built-in or the user's. */
int sri_filter_param_count(const sri_filter *filter);
sri_param sri_filter_param_at(const sri_filter *filter, int index);

#define FILTER(id, words) extern const sri_filter_ops sri_filter_##id;
SRI_FILTER_LIST(FILTER)
#undef FILTER
extern const sri_filter_ops sri_filter_user;       /* of lambda */
extern const sri_filter_ops sri_filter_user_steps; /* of t      */

#endif

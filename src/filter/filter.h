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

/* What the path runs over; from smooth to rough: lambda falls, t and components rise. */
typedef enum sri_path_kind { SRI_PATH_LAMBDA, SRI_PATH_T, SRI_PATH_COMPONENTS } sri_path_kind;

/* Krylov variants that are not a function of K alone but of y too. */
typedef enum sri_nonlinear { SRI_LINEAR, SRI_CG_ERROR, SRI_CG_RESIDUAL } sri_nonlinear;

typedef struct sri_filter sri_filter;

/* An iteration with fixed coefficients, whose path runs over its steps t; it takes
 * step=auto|norm|NUMBER. */
typedef struct sri_iteration {
    /* alpha_i = alpha_{i-1} + u (alpha_{i-1} - alpha_{i-2}) + (w/n)(y - K alpha_{i-1}).  The step
     * is part of w. */
    void (*recurrence)(const sri_filter *self, int64_t i, double *u, double *w);
    /* The t that theory lets correspond to lambda, not rounded. */
    double (*steps_for)(const sri_filter *self, double lambda);
    double largest_step;  /* it converges while the step is at most this over the norm of K/n   */
    double longest_path;  /* t at the end of the automatic path                                 */
    double krylov_growth; /* observed: a Krylov space reaches t = 10^d in this times d^2 steps  */
} sri_iteration;

/* A key whose values are words, not numbers. */
typedef struct sri_filter_word {
    const char *key, *values; /* the values as messages list them            */
    bool (*set)(sri_filter *self, const char *value); /* false: it does not know the value */
    const char *(*get)(const sri_filter *self);
} sri_filter_word;

typedef struct sri_filter_ops {
    const char *name;
    const sri_param *params;
    int n_params;
    sri_path_kind path;    /* the path's parameter ...                         */
    bool takes_components; /* ... and whether `components` may take its place  */
    /* g and r at one eigenvalue s >= 0 for the whole path (sorted smooth to rough); r computed
     * without cancellation.  Required unless nonlinear. */
    void (*eval)(const sri_filter *self, double s, const double *param, int64_t count, double *g,
                 double *r);
    bool eval_takes_steps;          /* eval is a recursion of t steps at every eigenvalue */
    const sri_iteration *iteration; /* optional */
    /* Optional: alpha after q steps of (K + n lambda I) alpha_i = y + n lambda alpha_{i-1}. */
    int (*resolvents)(const sri_filter *self);
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
    double step; /* tau, in force once prepared; 1 for filters without */
    int variant; /* from ops->word->set */
    const sri_registration *user;
};

specreg_status sri_filter_parse(specreg_context *ctx, const char *text, sri_filter *out);
/* Finds the step for an operator: 1/kappa^2 (auto), 1/s_max by Lanczos (norm), or as given, where
 * a step that makes the iteration diverge is an error.  Filters without a step: nothing to do. */
specreg_status sri_filter_prepare(specreg_context *ctx, sri_filter *filter, sri_op *op);

/* The path: values as the user wrote them ("auto", "lambda=...", "t=...", "components=..."),
 * checked, sorted from smooth to rough, without repetitions.  `scale` is kappa^2, `n` the rows. */
specreg_status sri_path_parse(specreg_context *ctx, sri_filter *filter, const char *text,
                              sri_values *out, bool *is_auto);
specreg_status sri_path_auto(specreg_context *ctx, const sri_filter *filter, int64_t n,
                             double scale, sri_values *out);
const char *sri_path_name(sri_path_kind kind); /* "lambda", "t", "components" */

/* A filter as models keep it, with the parameter that was chosen: it needs no context. */
typedef struct sri_kept_filter {
    sri_filter filter; /* its user is the one below                               */
    sri_registration *user;
    double param;
    int64_t kept; /* eigenvalues that it keeps, for filters that count them; -1   */
} sri_kept_filter;

specreg_status sri_filter_keep(specreg_context *ctx, const sri_filter *filter, double param,
                               sri_kept_filter *out);
void sri_kept_filter_free(sri_kept_filter *kept);

sri_nonlinear sri_filter_nonlinear(const sri_filter *filter);
/* The steps that evaluating g at one eigenvalue takes for a path that ends at `last`; 0: none. */
static inline double sri_filter_eval_steps(const sri_filter *filter, double last)
{
    return filter->ops->eval_takes_steps ? last : 0;
}
const char *sri_filter_name(const sri_filter *filter);
/* NULL when there is none of that name. */
const sri_filter_ops *sri_filter_builtin(const char *name);
/* The filter's own parameters, built-in or the user's. */
int sri_filter_param_count(const sri_filter *filter);
sri_param sri_filter_param_at(const sri_filter *filter, int index);

#define FILTER(id, words) extern const sri_filter_ops sri_filter_##id;
SRI_FILTER_LIST(FILTER)
#undef FILTER
extern const sri_filter_ops sri_filter_user;

#endif

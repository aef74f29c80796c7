/* A filter replaces 1/s by a function g(s) that is bounded for small s.  It acts on the
 * eigenvalues s of K/n; r(s) = 1 - s g(s) is what remains of the data.
 *
 * The engines ask a filter only for what they can use: its values (eval), a three-term recurrence
 * (iterate), an order of iterated resolvents (cholesky). */
#ifndef SRI_FILTER_FILTER_H
#define SRI_FILTER_FILTER_H

#include <stdbool.h>

#include "core/context.h"
#include "core/param.h"
#include "core/spec.h"
#include "op/op.h"

enum { SRI_FILTER_PARAMS = 6 };

/* What the path runs over; from smooth to rough: lambda falls, t and components rise. */
typedef enum sri_path_kind { SRI_PATH_LAMBDA, SRI_PATH_T, SRI_PATH_COMPONENTS } sri_path_kind;

/* Krylov variants that are not a function of K alone but of y too. */
typedef enum sri_nonlinear { SRI_LINEAR, SRI_CG_ERROR, SRI_CG_RESIDUAL } sri_nonlinear;

typedef struct sri_filter sri_filter;

typedef struct sri_filter_ops {
    const char *name;
    const char *formula;
    const sri_param *params;
    int n_params;
    sri_path_kind path;    /* the path's parameter ...                         */
    bool takes_components; /* ... and whether `components` may take its place  */
    bool takes_step;       /* has step=auto|norm|NUMBER                        */
    /* g and r at one eigenvalue s >= 0 for the whole path (sorted smooth to rough); r computed
     * without cancellation.  Required unless nonlinear. */
    void (*eval)(const sri_filter *self, double s, const double *param, int64_t count, double *g,
                 double *r);
    /* Optional: alpha_i = alpha_{i-1} + u (alpha_{i-1} - alpha_{i-2}) + (w/n)(y - K alpha_{i-1}).
     * The step is part of w. */
    void (*recurrence)(const sri_filter *self, int64_t i, double *u, double *w);
    /* Optional: alpha after q steps of (K + n lambda I) alpha_i = y + n lambda alpha_{i-1}. */
    int (*resolvents)(const sri_filter *self);
    /* Optional: cg and its kin. */
    sri_nonlinear (*nonlinear)(const sri_filter *self);
    /* Optional: keys of its own that are words, not numbers; false when it does not know the
     * value.  `word_key` names the one key there is, `words` its values for messages. */
    bool (*word)(sri_filter *self, const char *value);
    const char *(*word_of)(const sri_filter *self); /* the value in force */
    const char *word_key, *words;
    bool smooth;      /* g is smooth in s, so that Krylov spaces serve it       */
    bool counts_kept; /* its degrees of freedom are the eigenvalues it keeps    */
} sri_filter_ops;

struct sri_filter {
    const sri_filter_ops *ops;
    double param[SRI_FILTER_PARAMS];
    sri_path_kind path;
    enum { SRI_STEP_AUTO, SRI_STEP_NORM, SRI_STEP_GIVEN } step_rule;
    double step; /* tau, in force once prepared; 1 for filters without */
    int variant; /* from ops->word */
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
const char *sri_filter_name(const sri_filter *filter);
/* The filter's own parameters, built-in or the user's. */
int sri_filter_param_count(const sri_filter *filter);
sri_param sri_filter_param_at(const sri_filter *filter, int index);

extern const sri_filter_ops sri_filter_tikhonov, sri_filter_landweber, sri_filter_nu,
    sri_filter_tsvd, sri_filter_iterated, sri_filter_showalter, sri_filter_cg, sri_filter_user;

#endif

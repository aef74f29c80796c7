/* What goes together with fewer centres than rows. */
#include "sums/conjugate.h"
#include "sums/search.h"

/* Sums that are given have no rows to look at again, and folds of their own. */
static specreg_status check_given(specreg_context *ctx, const sri_sums_spec *spec)
{
    const sri_rule *rule = spec->search->rule;
    const sri_measure *measure = sri_criterion_of(spec->problem);
    const bool held_out = rule->ops->by_sums == SRI_SUMS_HELD_OUT;
    const int64_t classes = sri_has_own_rows(spec->problem) ? spec->problem->n_classes : 1;
    const int64_t parts = spec->given[0].parts / classes;
    const int64_t wanted = rule->ops->folds ? rule->ops->folds(rule, spec->problem) : 2;
    SRI_CHECK(ctx, spec->n_given == sri_kernel_grid_count(spec->search->grid), SPECREG_E_ARG,
              "the sums are of %lld kernels, %lld are asked for", (long long)spec->n_given,
              (long long)sri_kernel_grid_count(spec->search->grid));
    SRI_CHECK(ctx, rule->ops->by_sums != SRI_SUMS_LEFT_OUT, SPECREG_E_ARG,
              "select: %s looks at the rows a second time, and sums have none: take kfold or gcv",
              rule->ops->name);
    SRI_CHECK(ctx, !held_out || wanted == parts, SPECREG_E_ARG,
              "select: %s wants %lld folds, the sums have %lld", rule->ops->name, (long long)wanted,
              (long long)parts);
    SRI_CHECK(ctx, !held_out || measure->mean_square, SPECREG_E_ARG,
              "criterion: %s looks at the rows a second time, and sums have none: take mse",
              measure->info.name);
    return SPECREG_OK;
}

specreg_status sri_sums_check(specreg_context *ctx, const sri_sums_spec *spec)
{
    const sri_problem *problem = spec->problem;
    const sri_rule_ops *rule = spec->search->rule->ops;
    const char *kind = sri_approx_names[spec->approx->kind];
    SRI_CHECK(ctx, spec->approx->kind == SRI_APPROX_RECTANGLE, SPECREG_E_ARG,
              "approx: sums are for rectangle, not for %s", kind);
    SRI_CHECK(
        ctx, rule->by_sums, SPECREG_E_ARG,
        "select: %s needs all rows at once; with --approx %s take kfold, holdout, gcv, loo or "
        "none",
        rule->name, kind);
    SRI_CALL(sri_approx_check(ctx, spec));
    SRI_CALL(sri_search_check_rule(ctx, problem, spec->search->rule));
    const char *why = sri_conjugate_refuses(spec);
    SRI_CHECK(ctx, spec->approx->solver != SRI_SOLVER_CG || !why, SPECREG_E_ARG,
              "approx: solver=cg does not go with this: %s", why);
    return spec->given ? check_given(ctx, spec) : SPECREG_OK;
}

specreg_status sri_approx_check(specreg_context *ctx, const sri_sums_spec *spec)
{
    const sri_problem *problem = spec->problem;
    const char *kind = sri_approx_names[spec->approx->kind];
    SRI_CHECK(ctx, !problem->unpenalised.pivots, SPECREG_E_ARG,
              "features: variant=paper does not go with --approx %s", kind);
    const sri_layout *layout = &problem->reader.layout;
    SRI_CHECK(ctx, layout->kind != SRI_LAYOUT_OUTPUTS || layout->joint, SPECREG_E_ARG,
              "approx: %s is for outputs that every row has, kernels that are no fields, and one "
              "matrix of outputs for all terms of the kernel",
              kind);
    SRI_CHECK(ctx, !problem->extension, SPECREG_E_ARG,
              "unlabelled: rows without targets are for exact fits: leave --approx %s out", kind);
    SRI_CHECK(ctx, !sri_kernel_grid_learns(spec->search->grid), SPECREG_E_ARG,
              "outputs learn: the matrix is learned with a centre in every row: leave --approx %s "
              "out",
              kind);
    SRI_CHECK(ctx, sri_kernel_grid_polynomial(spec->search->grid) < 0, SPECREG_E_ARG,
              "kernel: %s is positive with its polynomials only, and does not go with --approx %s",
              sri_kernel_grid_conditional(spec->search->grid), kind);
    SRI_CHECK(ctx, !sri_kernel_grid_indexed(spec->search->grid), SPECREG_E_ARG,
              "kernel: precomputed does not go with --approx %s", kind);
    return SPECREG_OK;
}

#include "model/prepare.h"

specreg_status sri_prepare(specreg_context *ctx, const sri_call *call, const specreg_table *table,
                           sri_prepared *out)
{
    const sri_recipe *recipe = call->recipe;
    *out = (sri_prepared){.call = call};
    SRI_CALL(sri_corpus_train(ctx, table, recipe, &out->corpus));
    SRI_CALL(sri_kernel_grid_copy(ctx, &recipe->search.kernel, &out->grid));
    SRI_CALL(sri_dataset_rows(ctx, &out->corpus, recipe, &out->data));
    SRI_CALL(sri_dataset_inputs(ctx, recipe, &out->grid, &out->data));
    out->data.vocabulary = out->corpus.vocabulary;
    out->problem = sri_dataset_problem(&out->data, call);
    return SPECREG_OK;
}

specreg_status sri_prepare_rows(specreg_context *ctx, const sri_call *call,
                                const specreg_table *table, sri_prepared *out)
{
    *out = (sri_prepared){.call = call};
    SRI_CALL(sri_corpus_rows(ctx, table, call->recipe, &out->corpus));
    SRI_CALL(sri_dataset_rows(ctx, &out->corpus, call->recipe, &out->data));
    out->problem = sri_dataset_problem(&out->data, call);
    return SPECREG_OK;
}

specreg_status sri_prepare_inputs(specreg_context *ctx, const sri_call *call,
                                  const specreg_table *table, sri_prepared *out)
{
    *out = (sri_prepared){.call = call};
    SRI_CALL(sri_kernel_grid_copy(ctx, &call->recipe->search.kernel, &out->grid));
    SRI_CALL(sri_dataset_unlabelled(ctx, table, call->recipe, &out->data));
    return sri_dataset_inputs(ctx, call->recipe, &out->grid, &out->data);
}

specreg_status sri_prepare_kernels(specreg_context *ctx, sri_prepared *p)
{
    return sri_kernel_grid_resolve(ctx, &p->grid, p->data.points.own.points,
                                   p->call->recipe->resources.seed);
}

specreg_status sri_prepare_search(specreg_context *ctx, sri_prepared *p)
{
    const sri_choices *search = &p->call->recipe->search;
    SRI_CALL(sri_prepare_kernels(ctx, p));
    p->spec = (sri_search_spec){.grid = &p->grid,
                                .filter = &search->filter,
                                .path = search->path_auto ? NULL : &search->path,
                                .rule = &p->rule,
                                .one_se = search->one_se,
                                .strategy = search->strategy,
                                .extend = search->extend,
                                .checkpoint = search->checkpoint,
                                .engine = search->engine};
    p->rule = sri_search_rule(&search->rule, &p->problem, &p->spec);
    return sri_search_check_groups(ctx, &p->problem, &p->rule);
}

void sri_prepared_free(sri_prepared *p)
{
    sri_dataset_free(&p->data);
    sri_kernel_grid_free(&p->grid);
    sri_corpus_free(&p->corpus);
    *p = (sri_prepared){0};
}

/* Making a model of what a search found, and taking it apart. */
#include "model/model.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "model/expansion.h"

const char *const sri_model_kinds[SRI_MODEL_KINDS] = {[SRI_MODEL_PREDICTOR] = "predictor",
                                                      [SRI_MODEL_KPCA] = "kpca",
                                                      [SRI_MODEL_NYSTROM] = "nystrom"};

static void encoding_free(sri_encoding *e)
{
    sri_target_free(e->tasks);
    sri_target_free(e->id);
    sri_coding_free(e->coding);
    sri_target_free(e->target);
    sri_encoder_free(e->encoder);
    specreg_vocabulary_free(e->vocabulary);
}

static void expansion_free(sri_expansion *e)
{
    sri_points_free(e->points);
    sri_free(e->slope_column);
    sri_free(e->slope);
    sri_free(e->alpha);
    for (int t = 0; t < SRI_KERNEL_TERMS; t++)
        if (t == 0 || e->coupling[t] != e->coupling[0])
            sri_coupling_free(e->coupling[t]);
}

void specreg_model_free(specreg_model *model)
{
    if (!model)
        return;
    sri_fit_report_free(model->report.fit);
    sri_kpca_report_free(model->report.kpca);
    sri_import_report_free(model->report.import);
    sri_free(model->report.text);
    sri_free(model->report.portrait);
    sri_free(model->report.held_rows);
    sri_free(model->uncertainty.sample);
    sri_free(model->uncertainty.held_out);
    sri_free(model->uncertainty.weight);
    sri_free(model->unpenalised.beta);
    sri_predefined_free(&model->unpenalised.terms);
    sri_kept_filter_free(&model->filter);
    sri_kept_kernel_free(&model->kernel);
    expansion_free(&model->expansion);
    encoding_free(&model->encoding);
    sri_free(model);
}

const specreg_vocabulary *specreg_model_vocabulary(const specreg_model *model)
{
    return model ? model->encoding.vocabulary : NULL;
}

int64_t specreg_model_outputs(const specreg_model *model)
{
    if (!model)
        return 0;
    return model->encoding.coding ? model->encoding.target->n_classes : model->T;
}

int64_t specreg_model_inputs(const specreg_model *model)
{
    return model ? sri_encoder_inputs(model->encoding.encoder) : 0;
}

const char *specreg_model_class(const specreg_model *model, int64_t index)
{
    return model && index >= 0 && index < model->encoding.target->n_classes
               ? model->encoding.target->label[index]
               : NULL;
}

static specreg_view view_of(const double *data, int64_t rows, int64_t cols)
{
    return (specreg_view){data, rows, cols, cols};
}

specreg_status specreg_model_array(specreg_context *ctx, const specreg_model *model,
                                   const char *name, specreg_view *out)
{
    SRI_ARGS(ctx, model, name, out);
    enum { ARRAYS = 5 };
    static const char *const names[ARRAYS] = {"centres", "coefficients", "slopes", "features",
                                              "outputs"};
    const sri_coupling *learned = model->kernel.kernel.term[0].coupling;
    const int64_t T = learned && learned->A ? learned->T : 0;
    const sri_expansion *e = &model->expansion;
    const bool all = !e->slope_column || e->slopes == model->encoding.encoder->p;
    const bool dense = e->points && e->points->stored == SRI_STORED_DENSE;
    const specreg_view views[ARRAYS] =
        {view_of(dense ? e->points->rows.x.x : NULL, e->n, dense ? e->points->p : 0),
         view_of(e->alpha, e->n, e->layout.kind == SRI_LAYOUT_OUTPUTS ? 1 : model->T),
         view_of(all ? e->slope : NULL, e->slopes, model->T),
         view_of(model->unpenalised.beta, model->unpenalised.terms.l, model->T),
         view_of(T ? learned->A : NULL, T, T)};
    for (int i = 0; i < ARRAYS; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = views[i];
            SRI_CHECK(ctx, out->data, SPECREG_E_UNAVAILABLE, "the model has no %s", name);
            return SPECREG_OK;
        }
    return sri_fail_unknown(ctx, "array", name, names, ARRAYS);
}

/* Probabilities are fitted to what the machine says of rows it has not seen: scores of Y minus the
 * held-out residual.  Rules that hold out only some of the rows, or none, give no probabilities. */
static specreg_status calibrate(specreg_context *ctx, const sri_problem *problem,
                                const sri_search_result *result, sri_calibration *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = problem->n, T = problem->T, k = problem->n_classes;
    double *F = NULL, *scores = NULL;
    if (!problem->classes || !result->fitted.held_out)
        return st;
    SRI_ALLOC(ctx, F, T, 1);
    SRI_ALLOC(ctx, scores, n, k);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t t = 0; t < T; t++)
            F[t] = problem->Y[i * T + t] - result->fitted.held_out[i * T + t];
        sri_coding_scores(problem->coding, F, scores + i * k);
    }
    const sri_scored_rows rows = {scores,
                                  problem->classes,
                                  problem->rows.weight,
                                  n,
                                  k,
                                  sri_coding_posterior(problem->coding)};
    SRI_TRY(sri_calibration_fit(ctx, &rows, out));
    strncpy(out->held_by, result->fitted.held_by, sizeof out->held_by - 1);
done:
    sri_free(scores);
    sri_free(F);
    return st;
}

/* The held-out residuals of a sample of rows, those that count. */
static specreg_status take_sample(specreg_context *ctx, const sri_problem *problem,
                                  const double *held_out, sri_uncertainty *out)
{
    const int64_t T = problem->T;
    SRI_NEW(ctx, out->sample, problem->n, T);
    for (int64_t i = 0; i < problem->n; i++) {
        if (isnan(held_out[i * T]) || (problem->rows.weight && !(problem->rows.weight[i] > 0)))
            continue;
        memcpy(out->sample + out->sampled * T, held_out + i * T, (size_t)T * sizeof *held_out);
        out->sampled++;
    }
    return SPECREG_OK;
}

static specreg_status take_uncertainty(specreg_context *ctx, sri_prepared *p,
                                       sri_search_result *result, sri_uncertainty *out)
{
    const sri_problem *problem = &p->problem;
    const sri_approx_kind kind = p->call->recipe->search.approx.kind;
    const bool fewer = kind == SRI_APPROX_RECTANGLE;
    const bool rows = !fewer && p->data.points.layout.kind == SRI_LAYOUT_ROWS &&
                      result->fitted.n_centres == problem->n &&
                      !sri_kernel_coupling(&result->kernel);
    out->approximate = fewer || kind == SRI_APPROX_NYSTROM;
    SRI_CALL(calibrate(ctx, problem, result, &out->calibration));
    if (!problem->classes && fewer && result->fitted.held_out &&
        !sri_kernel_coupling(&result->kernel))
        SRI_CALL(take_sample(ctx, problem, result->fitted.held_out, out));
    if (!problem->classes && rows) { /* intervals are for outputs that are independent */
        SRI_MOVE(out->held_out, result->fitted.held_out);
    }
    if (rows) {
        SRI_MOVE(out->weight, p->data.rows.weight);
    }
    return SPECREG_OK;
}

specreg_status sri_model_make(specreg_context *ctx, sri_prepared *p, sri_search_result *result,
                              sri_fit_report *report, specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    sri_dataset *data = &p->data;
    specreg_model *m = NULL;
    SRI_CALLOC(ctx, m, 1, 1);
    *m = (specreg_model){.problem = sri_dataset_kind(data),
                         .T = data->rows.T,
                         .encoding = {.encoder = data->encoder,
                                      .target = data->target,
                                      .vocabulary = p->corpus.vocabulary,
                                      .coding = data->coding,
                                      .id = data->id},
                         .unpenalised = {.terms = data->features, .beta = result->fitted.beta}};
    data->encoder = NULL;
    data->target = NULL;
    data->coding = NULL;
    data->id = NULL;
    p->corpus.vocabulary = NULL;
    data->features = (sri_predefined){0};
    result->fitted.beta = NULL;
    SRI_TRY(sri_kernel_keep(ctx, &result->kernel, &m->kernel));
    SRI_TRY(sri_filter_keep(ctx, &result->filter, result->param, &m->filter));
    m->filter.kept = report->search.filter.kept;
    SRI_TRY(sri_filter_keep_each(ctx, result->fitted.each, p->problem.T, &m->filter));
    SRI_TRY(take_uncertainty(ctx, p, result, &m->uncertainty));
    SRI_TRY(sri_expansion_take(ctx, data, result, m));
    SRI_TRY(sri_model_pack(ctx, &result->kernel, m));
    sri_fit_report_close(p, result, report);
    m->report.fit = report;
    SRI_MOVE(*out, m);
done:
    specreg_model_free(m);
    return st;
}

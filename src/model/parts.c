/* The parts that a model's predictions are the sum of, where it has some. */
#include <string.h>

#include "model/predict.h"
#include "op/projection.h"

/* A part; whether a model has it, and its predictions.  One more is one more entry of the list
 * below. */
typedef struct part {
    const char *name;
    bool (*has)(const specreg_model *model);
    specreg_status (*predict)(specreg_context *ctx, const specreg_model *model,
                              const sri_sample *rows, double *F);
} part;

static bool is_field(const specreg_model *model)
{
    return sri_kernel_is_field(&model->kernel.kernel);
}

/* Scalar kernels times I beside those of fields. */
static bool has_scalars(const specreg_model *model)
{
    return is_field(model) && sri_kernel_scalars(&model->kernel.kernel).n_terms > 0;
}

/* Leaves curl CF, or div DF, of each part; says whether anything is left. */
static bool leave_part(sri_field *field, bool divfree)
{
    *(divfree ? &field->curl : &field->div) = 0;
    bool any = field->curl != 0 || field->div != 0;
    for (int i = 0; i < field->n_more; i++) {
        sri_field_part *more = &field->more[i];
        *(divfree ? &more->curl : &more->div) = 0;
        any = any || more->curl != 0 || more->div != 0;
    }
    field->others = NULL;
    return any;
}

/* sum_i Gamma(x, z_i) alpha_i with Gamma = curl CF + div DF: one of the two terms. */
static specreg_status field_part(specreg_context *ctx, const specreg_model *model, bool divfree,
                                 const sri_sample *rows, double *F)
{
    sri_kernel kernel;
    const int64_t m = rows->n;
    SRI_CALL(sri_kept_kernel_use(ctx, &model->kernel, &kernel));
    sri_field field = sri_kernel_field(&kernel, model->encoding.encoder->p);
    if (!leave_part(&field, divfree)) { /* and not the rounding of something */
        memset(F, 0, (size_t)(m * model->T) * sizeof *F);
        return SPECREG_OK;
    }
    const sri_field_matrix K = {&field, rows->rows.x.x, m, model->expansion.points->rows.x.x,
                                model->expansion.n};
    return sri_field_product(ctx, &K, 1, model->expansion.alpha, F);
}

/* What scalar kernels times I add: component t is a function of its own. */
static specreg_status scalar_part(specreg_context *ctx, const specreg_model *model,
                                  const sri_sample *rows, double *F)
{
    specreg_status st = SPECREG_OK;
    sri_kernel kernel;
    sri_points *centres = NULL;
    SRI_TRY(sri_kept_kernel_use(ctx, &model->kernel, &kernel));
    const sri_kernel scalars = sri_kernel_scalars(&kernel);
    SRI_TRY(sri_points_of(ctx, &model->expansion.points->rows.x, false, &centres));
    SRI_TRY(sri_kernel_rows_product(ctx, &(sri_kernel_matrix){&scalars, &rows->rows, centres},
                                    model->T, model->expansion.alpha, F));
done:
    sri_points_free(centres);
    return st;
}

static specreg_status curlfree_part(specreg_context *ctx, const specreg_model *model,
                                    const sri_sample *rows, double *F)
{
    return field_part(ctx, model, false, rows, F);
}

static specreg_status divfree_part(specreg_context *ctx, const specreg_model *model,
                                   const sri_sample *rows, double *F)
{
    return field_part(ctx, model, true, rows, F);
}

/* Classes have scores, which are no sums. */
static bool has_features(const specreg_model *model)
{
    return model->unpenalised.terms.n_terms && !model->encoding.coding;
}

static bool has_kernel(const specreg_model *model)
{
    return has_features(model) && !is_field(model);
}

static specreg_status features_part(specreg_context *ctx, const specreg_model *model,
                                    const sri_sample *rows, double *F)
{
    (void)ctx;
    memset(F, 0, (size_t)(rows->n * model->T) * sizeof *F);
    sri_features_add(rows->P, rows->n, model->unpenalised.terms.l, model->unpenalised.beta,
                     model->T, F);
    return SPECREG_OK;
}

static const part parts[] = {
    {"curlfree", is_field, curlfree_part},     {"divfree", is_field, divfree_part},
    {"scalar", has_scalars, scalar_part},      {"kernel", has_kernel, sri_model_kernel_outputs},
    {"features", has_features, features_part},
};
enum { PARTS = sizeof parts / sizeof *parts };

/* Part number `index` of those that the model has; NULL: it has not so many. */
static const part *part_of(const specreg_model *model, int64_t index)
{
    for (int i = 0; i < PARTS; i++)
        if (parts[i].has(model) && index-- == 0)
            return &parts[i];
    return NULL;
}

int64_t specreg_model_parts(const specreg_model *model)
{
    int64_t count = 0;
    while (model && part_of(model, count))
        count++;
    return count;
}

const char *specreg_model_part(const specreg_model *model, int64_t index)
{
    const part *p = model && index >= 0 ? part_of(model, index) : NULL;
    return p ? p->name : NULL;
}

specreg_status sri_model_part(specreg_context *ctx, const specreg_model *model, int64_t index,
                              const sri_sample *rows, double *F)
{
    return part_of(model, index)->predict(ctx, model, rows, F);
}

specreg_status sri_model_check_parts(specreg_context *ctx, const specreg_model *model)
{
    if (part_of(model, 0))
        return SPECREG_OK;
    return sri_fail(
        ctx, SPECREG_E_UNAVAILABLE,
        "parts: the predictions of this model have none; those of vector fields, of kernel "
        "curlfree, divfree or helmholtz, and of regressions with --features have");
}

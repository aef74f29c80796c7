#include "model/parts.h"

#include <string.h>

#include "kernel/registry.h"

enum { MOST_PARTS = 2 };

/* A kind of models whose predictions have parts; one more is one more entry of the list below. */
typedef struct kind {
    const char *who; /* for people */
    const char *name[MOST_PARTS];
    bool (*has)(const specreg_model *model);
    specreg_status (*part)(specreg_context *ctx, const specreg_model *model, int64_t part,
                           const double *X, int64_t m, double *F);
} kind;

/* ------------------------------------------------------------------- vector fields */

/* Their kernels stand alone, but may have a weight: then they are a sum of one term. */
static bool is_field(const specreg_model *model)
{
    const json_t *first = json_array_get(json_object_get(model->kernel, "terms"), 0);
    const char *name = json_string_value(json_object_get(first ? first : model->kernel, "name"));
    const sri_kernel_ops *ops = name ? sri_kernel_builtin(name) : NULL;
    return ops && ops->field;
}

/* sum_i Gamma(x, z_i) alpha_i with Gamma = curl CF + div DF: one of the two terms. */
static specreg_status field_part(specreg_context *ctx, const specreg_model *model, int64_t part,
                                 const double *X, int64_t m, double *F)
{
    sri_kernel kernel;
    const specreg_status st = sri_kernel_from_json(ctx, model->kernel, &kernel);
    if (st != SPECREG_OK)
        return st;
    sri_field field = sri_kernel_field(&kernel, model->encoder->p);
    *(part == 0 ? &field.div : &field.curl) = 0;
    if (field.curl == 0 && field.div == 0) { /* and not the rounding of something */
        memset(F, 0, (size_t)(m * model->T) * sizeof *F);
        return SPECREG_OK;
    }
    return sri_field_product(ctx, &field, X, m, model->centres, model->n, 1, model->alpha, F);
}

/* ------------------------------------------------------------------- the list */

static const kind kinds[] = {
    {.who = "vector fields, of kernel curlfree, divfree or helmholtz",
     .name = {"curlfree", "divfree"},
     .has = is_field,
     .part = field_part},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const kind *kind_of(const specreg_model *model)
{
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].has(model))
            return &kinds[i];
    return NULL;
}

int64_t specreg_model_parts(const specreg_model *model)
{
    return kind_of(model) ? MOST_PARTS : 0;
}

const char *specreg_model_part(const specreg_model *model, int64_t index)
{
    return index >= 0 && index < specreg_model_parts(model) ? kind_of(model)->name[index] : NULL;
}

specreg_status sri_model_part(specreg_context *ctx, const specreg_model *model, int64_t part,
                              const double *X, int64_t m, double *F)
{
    return kind_of(model)->part(ctx, model, part, X, m, F);
}

specreg_status sri_model_check_parts(specreg_context *ctx, const specreg_model *model)
{
    if (kind_of(model))
        return SPECREG_OK;
    return sri_fail(ctx, SPECREG_E_UNAVAILABLE,
                    "parts: the predictions of this model have none; those of %s have",
                    kinds[0].who);
}

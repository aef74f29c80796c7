#include "kernel/kept.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "kernel/registry.h"

specreg_status sri_kept_kernel_couple(specreg_context *ctx, sri_kept_kernel *kept, int t,
                                      const sri_coupling *like)
{
    sri_coupling *own = NULL;
    SRI_NEW_ZERO(ctx, own, 1, 1);
    *own = (sri_coupling){.ops = like->ops, .T = like->T};
    memcpy(own->param, like->param, sizeof own->param);
    kept->coupling[t < 0 ? 0 : t] = own;
    if (sri_coupling_is_learned(like) && like->A) {
        SRI_NEW(ctx, own->A, own->T, own->T);
        memcpy(own->A, like->A, (size_t)(own->T * own->T) * sizeof *own->A);
    }
    for (int k = 0; k < kept->kernel.n_terms; k++)
        if (t < 0 || sri_product_begin(&kept->kernel, k) == t)
            kept->kernel.term[k].coupling = own;
    return SPECREG_OK;
}

specreg_status sri_kernel_keep(specreg_context *ctx, const sri_kernel *kernel, sri_kept_kernel *out)
{
    specreg_status st = SPECREG_OK;
    const sri_coupling *all = sri_kernel_coupling(kernel);
    *out = (sri_kept_kernel){.kernel = *kernel};
    for (int t = 0; t < kernel->n_terms; t++) {
        out->kernel.term[t].coupling = NULL;
        SRI_TRY(sri_registration_copy(ctx, kernel->term[t].user, &out->user[t]));
        out->kernel.term[t].user = out->user[t];
        out->kernel.term[t].columns = NULL;
        SRI_TRY(sri_picked_copy(ctx, kernel->term[t].columns, &out->columns[t]));
        out->kernel.term[t].columns = out->columns[t];
    }
    for (int t = 0; !all && kernel->term[0].coupling && t < kernel->n_terms; t++)
        if (!kernel->term[t].times)
            SRI_TRY(sri_kept_kernel_couple(ctx, out, t, kernel->term[t].coupling));
    if (all)
        SRI_TRY(sri_kept_kernel_couple(ctx, out, -1, all));
done:
    if (st != SPECREG_OK)
        sri_kept_kernel_free(out);
    return st;
}

/* The number of a parameter of a term that is kept; NULL: it has none of that name. */
static const double *find_number(const sri_kernel_term *kept, const char *name)
{
    for (int i = 0; i < sri_kernel_param_count(kept); i++)
        if (strcmp(sri_kernel_param_at(kept, i).name, name) == 0)
            return &kept->param[i];
    return NULL;
}

static specreg_status use_term(specreg_context *ctx, const sri_kernel_term *kept,
                               sri_kernel_term *out)
{
    const char *name = sri_kernel_term_name(kept);
    char what[64];
    SRI_CHECK(ctx, !kept->user || sri_registered(ctx->kernels, name), SPECREG_E_UNAVAILABLE,
              "the model uses kernel '%s', which is not built in: register it first", name);
    SRI_CALL(sri_kernel_term_named(ctx, name, out));
    SRI_CHECK(ctx, sri_term_is_matrix(kept) == sri_term_is_matrix(out), SPECREG_E_UNAVAILABLE,
              "kernel '%s' of the model has %s for values, the one that is registered has %s", name,
              sri_term_is_matrix(kept) ? "matrices" : "numbers",
              sri_term_is_matrix(out) ? "matrices" : "numbers");
    out->weight = kept->weight;
    out->times = kept->times;
    out->columns = kept->columns;
    snprintf(what, sizeof what, "kernel %.40s", name);
    for (int i = 0; i < sri_kernel_param_count(out); i++) {
        const sri_param param = sri_kernel_param_at(out, i);
        const double *number = find_number(kept, param.name);
        SRI_CHECK(ctx, number, SPECREG_E_FORMAT, "parameter '%s' of kernel %s is missing",
                  param.name, name);
        out->param[i] = *number;
        SRI_CALL(sri_param_check(ctx, what, &param, out->param[i]));
    }
    return SPECREG_OK;
}

specreg_status sri_kept_kernel_use(specreg_context *ctx, const sri_kept_kernel *kept,
                                   sri_kernel *out)
{
    *out = (sri_kernel){.n_terms = kept->kernel.n_terms};
    for (int t = 0; t < out->n_terms; t++)
        SRI_CALL(use_term(ctx, &kept->kernel.term[t], &out->term[t]));
    return SPECREG_OK;
}

bool sri_kept_kernel_independent(const sri_kept_kernel *kept)
{
    const sri_coupling *all = sri_kernel_coupling(&kept->kernel);
    return !kept->kernel.term[0].coupling || (all && sri_coupling_is_identity(all));
}

void sri_kept_kernel_free(sri_kept_kernel *kept)
{
    for (int t = 0; t < SRI_KERNEL_TERMS; t++) {
        sri_registration_free(kept->user[t]);
        sri_coupling_free(kept->coupling[t]);
        sri_picked_free(kept->columns[t]);
    }
    *kept = (sri_kept_kernel){0};
}

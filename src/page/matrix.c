/* The matrix between outputs or tasks. */
#include "core/memory.h"
#include "page/page.h"

enum { MOST = 150 }; /* outputs, of which a picture can show pairs */

/* The coupling of the first term that has one, of so many outputs, with its matrix.  A kept kernel
 * may have its words alone: then the matrix is made again, unless a file had it. */
static specreg_status coupling_of(specreg_context *ctx, const specreg_model *model, int64_t T,
                                  sri_coupling **out)
{
    specreg_status st = SPECREG_OK;
    const sri_coupling *c = model->expansion.coupling[0];
    sri_coupling *copy = NULL;
    *out = NULL;
    if (!c)
        c = model->kernel.kernel.term[0].coupling;
    if (!c || c->map || c->shift || T < 2 || (c->T && c->T != T))
        return st;
    SRI_TRY(sri_coupling_copy(ctx, c, &copy));
    copy->T = T;
    if (!copy->A && !sri_outputs_has_file(copy->ops) && !sri_coupling_is_learned(copy))
        SRI_TRY(sri_coupling_restore(ctx, copy));
    SRI_MOVE(*out, copy);
done:
    sri_coupling_free(copy);
    return st;
}

static json_t *values_json(const sri_coupling *c)
{
    json_t *rows = json_array();
    for (int64_t s = 0; s < c->T; s++)
        sri_json_add(&rows, sri_numbers_json(c->A + s * c->T, c->T));
    return rows;
}

specreg_status sri_page_matrix(specreg_context *ctx, const specreg_model *model, json_t **out,
                               json_t **cannot)
{
    specreg_status st = SPECREG_OK;
    const sri_target *tasks = model->encoding.tasks, *target = model->encoding.target;
    sri_coupling *c = NULL;
    *out = NULL;
    const int64_t T = tasks ? tasks->n_classes : target->n_columns;
    const char *what = tasks ? "tasks" : "outputs";
    SRI_TRY(coupling_of(ctx, model, T, &c));
    if (!c)
        goto done;
    if (!c->A)
        sri_page_cannot(cannot, "The matrix between %s came from a file and is not in the model.",
                        what);
    if (c->A && T > MOST)
        sri_page_cannot(cannot, "The matrix between %lld %s is too large to be shown.",
                        (long long)T, what);
    if (!c->A || T > MOST)
        goto done;
    json_t *json = json_object();
    sri_json_put(&json, "names", sri_texts_json(tasks ? tasks->label : target->name, T));
    sri_json_put(&json, "values", values_json(c));
    sri_json_put(&json, "what", json_string(what));
    *out = json;
    st = json ? SPECREG_OK : sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
done:
    sri_coupling_free(c);
    return st;
}

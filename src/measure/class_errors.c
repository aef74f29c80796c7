#include <math.h>

#include "core/memory.h"
#include "measure/errors.h"

enum { USUAL_TOP = 5 };

/* Summed over the classes, wrong labels are as many as rows not found: the micro averages are all
 * the share of right labels. */
static void set_labels(const sri_comparison *p, sri_class_errors *e)
{
    double right = 0, all = 0;
    sri_confusion(p, e->counts);
    for (int64_t c = 0; c < e->k; c++) {
        e->of[c] = sri_measure_class(e->counts, e->k, c);
        right += e->of[c].right;
        all += e->of[c].support;
    }
    e->macro = sri_measure_macro(e->counts, e->k);
    e->micro = right / all;
}

/* Of more than two classes a curve has its corners only: twice as many as the class has rows, so
 * that all curves together have as many points as there are rows, about. */
static specreg_status set_curves(specreg_context *ctx, const sri_comparison *p, sri_class_errors *e)
{
    for (int32_t c = 0; c < e->k; c++)
        if (e->k == 2 && c == 0)
            SRI_CALL(sri_curve_area(ctx, p, c, &e->curve[c].area));
        else
            SRI_CALL(sri_curve_make(ctx, p, c, e->k > 2, &e->curve[c]));
    return SPECREG_OK;
}

specreg_status sri_class_errors_make(specreg_context *ctx, sri_comparison *p, char *const *label,
                                     int64_t top, sri_class_errors *out)
{
    const int64_t k = p->n_classes;
    *out = (sri_class_errors){.k = k, .label = label};
    SRI_CHECK(ctx, top <= k, SPECREG_E_ARG,
              "top-k: the model has %lld classes, %lld labels for a row are too many", (long long)k,
              (long long)top);
    SRI_CALL(sri_comparison_decode(ctx, SRI_USES_LABELS | SRI_USES_SCORES, p));
    SRI_NEW(ctx, out->counts, k, k);
    SRI_NEW(ctx, out->of, k, 1);
    SRI_NEW_ZERO(ctx, out->curve, k, 1);
    set_labels(p, out);
    SRI_CALL(set_curves(ctx, p, out));
    out->top = top || k <= USUAL_TOP ? top : USUAL_TOP;
    out->top_error = out->top ? sri_top_error(p, out->top) : NAN;
    return SPECREG_OK;
}

void sri_class_errors_free(sri_class_errors *errors)
{
    for (int64_t c = 0; errors->curve && c < errors->k; c++)
        sri_curve_free(&errors->curve[c]);
    sri_free(errors->curve);
    sri_free(errors->of);
    sri_free(errors->counts);
    *errors = (sri_class_errors){0};
}

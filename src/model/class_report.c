#include "model/class_report.h"

#include <math.h>
#include <stdlib.h>

#include "core/json.h"
#include "core/memory.h"
#include "select/class_measure.h"
#include "select/measure.h"

enum { USUAL_TOP = 5 };

/* What the measures are of. */
typedef struct judged {
    const specreg_model *model;
    const int32_t *truth;
    int64_t n, k;
    double *scores;  /* n x k */
    int32_t *said;   /* n     */
    int64_t *counts; /* k x k */
    double *auc;     /* k     */
} judged;

static void judged_free(judged *j)
{
    free(j->auc);
    free(j->counts);
    free(j->said);
    free(j->scores);
}

/* ------------------------------------------------------------------- from labels */

static json_t *confusion_json(const judged *j)
{
    json_t *labels = json_array(), *counts = json_array();
    for (int64_t c = 0; c < j->k; c++) {
        json_t *row = json_array();
        for (int64_t g = 0; g < j->k; g++)
            sri_json_add(&row, json_integer((json_int_t)j->counts[c * j->k + g]));
        sri_json_add(&labels, json_string(j->model->encoding.target->label[c]));
        sri_json_add(&counts, row);
    }
    return json_pack("{s:o, s:o}", "labels", labels, "counts", counts);
}

static json_t *classes_json(const judged *j)
{
    json_t *list = json_array();
    for (int64_t c = 0; c < j->k; c++) {
        const sri_class_measure m = sri_measure_class(j->counts, j->k, c);
        sri_json_add(&list, json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "label",
                                      j->model->encoding.target->label[c], "support",
                                      (json_int_t)m.support, "predicted", (json_int_t)m.predicted,
                                      "precision", sri_json_number(m.precision), "recall",
                                      sri_json_number(m.recall), "f1", sri_json_number(m.f1), "auc",
                                      sri_json_number(j->auc[c])));
    }
    return list;
}

static json_t *means_json(double precision, double recall, double f1)
{
    return json_pack("{s:o, s:o, s:o}", "precision", sri_json_number(precision), "recall",
                     sri_json_number(recall), "f1", sri_json_number(f1));
}

/* Summed over the classes, wrong labels are as many as rows not found: the micro averages are all
 * the share of right labels. */
static void put_labels(const judged *j, json_t **test)
{
    const sri_macro_measure macro = sri_measure_macro(j->counts, j->k);
    int64_t right = 0;
    for (int64_t c = 0; c < j->k; c++)
        right += j->counts[c * j->k + c];
    const double micro = (double)right / (double)j->n;
    sri_json_put(test, "balanced_error", sri_json_number(1 - macro.recall));
    sri_json_put(test, "confusion", confusion_json(j));
    sri_json_put(test, "classes", classes_json(j));
    sri_json_put(test, "macro", means_json(macro.precision, macro.recall, macro.f1));
    sri_json_put(test, "micro", means_json(micro, micro, micro));
}

/* ------------------------------------------------------------------- from scores */

/* Whether a point of a curve lies between its neighbours on a line along an axis. */
static bool is_between(const sri_roc_point *p)
{
    return (p[-1].fpr == p[0].fpr && p[0].fpr == p[1].fpr) ||
           (p[-1].tpr == p[0].tpr && p[0].tpr == p[1].tpr);
}

/* The curve of one class.  Of many classes only its corners: twice as many as the class has rows,
 * so that all curves together have as many points as there are rows, about. */
static specreg_status add_curve(specreg_context *ctx, const judged *j, const double *score,
                                int32_t c, json_t **curves)
{
    sri_roc_point *roc = NULL;
    int64_t points;
    const specreg_status st = sri_measure_roc(ctx, score, j->truth, c, j->n, &roc, &points);
    for (int64_t i = 0; st == SPECREG_OK && i < points; i++) {
        if (j->k > 2 && i > 0 && i < points - 1 && is_between(&roc[i]))
            continue;
        sri_json_add(curves,
                     json_pack("{s:s, s:o, s:o, s:o}", "class", j->model->encoding.target->label[c],
                               "threshold", sri_json_number(roc[i].threshold), "fpr",
                               sri_json_number(roc[i].fpr), "tpr", sri_json_number(roc[i].tpr)));
    }
    free(roc);
    return st;
}

/* Areas of all classes, each against the others; curves likewise, but of two classes the second's
 * only, which is the other's mirror image.  `mean` is over the areas there are. */
static specreg_status make_curves(specreg_context *ctx, judged *j, json_t **curves, double *mean)
{
    specreg_status st = SPECREG_OK;
    double *one = NULL, sum = 0, count = 0;
    SRI_ALLOC(ctx, one, j->n, 1);
    for (int32_t c = 0; c < j->k; c++) {
        for (int64_t i = 0; i < j->n; i++)
            one[i] = sri_class_score(j->scores + i * j->k, j->k, c);
        SRI_TRY(sri_measure_auc(ctx, one, j->truth, NULL, c, j->n, &j->auc[c]));
        if (j->k > 2 || c == 1)
            SRI_TRY(add_curve(ctx, j, one, c, curves));
        if (!isnan(j->auc[c])) {
            sum += j->auc[c];
            count++;
        }
    }
    *mean = j->k == 2 ? j->auc[1] : sum / count;
done:
    free(one);
    return st;
}

static specreg_status put_log_loss(specreg_context *ctx, const judged *j, json_t **test)
{
    specreg_status st = SPECREG_OK;
    double *P = NULL;
    if (!j->model->uncertainty.calibration.slopes)
        return st;
    SRI_ALLOC(ctx, P, j->n, j->k);
    sri_calibration_apply(&j->model->uncertainty.calibration, j->scores, j->n, j->k, P);
    sri_json_put(test, "log_loss", sri_json_number(sri_measure_log_loss(P, j->truth, j->n, j->k)));
done:
    free(P);
    return st;
}

static void put_top(const judged *j, int64_t top, json_t **test)
{
    if (!top && j->k <= USUAL_TOP)
        return;
    top = top ? top : USUAL_TOP;
    sri_json_put(test, "top_k",
                 json_pack("{s:I, s:o}", "k", (json_int_t)top, "error_rate",
                           sri_json_number(sri_measure_top(j->scores, j->truth, j->n, j->k, top))));
}

specreg_status sri_class_report(specreg_context *ctx, const specreg_model *model, const double *F,
                                const int32_t *truth, int64_t n, int64_t top, json_t **test)
{
    specreg_status st = SPECREG_OK;
    judged j = {.model = model, .truth = truth, .n = n, .k = model->encoding.target->n_classes};
    json_t *curves = json_array();
    double auc;
    SRI_REQUIRE(ctx, top <= j.k, SPECREG_E_ARG,
                "top-k: the model has %lld classes, %lld labels for a row are too many",
                (long long)j.k, (long long)top);
    SRI_ALLOC(ctx, j.scores, n, j.k);
    SRI_ALLOC(ctx, j.said, n, 1);
    SRI_ALLOC(ctx, j.counts, j.k, j.k);
    SRI_ALLOC(ctx, j.auc, j.k, 1);
    sri_model_decode(model, F, n, j.scores, j.said);
    sri_measure_confusion(truth, j.said, n, j.k, j.counts);
    SRI_TRY(make_curves(ctx, &j, &curves, &auc));
    put_labels(&j, test);
    put_top(&j, top, test);
    SRI_TRY(put_log_loss(ctx, &j, test));
    sri_json_put(test, "auc", sri_json_number(auc));
    sri_json_put(test, "roc", json_incref(curves));
done:
    json_decref(curves);
    judged_free(&j);
    return st;
}

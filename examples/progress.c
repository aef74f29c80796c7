/* Progress and cancelling: one callback sees how far the work is and may stop it.  The first run
 * is watched to its end, the second is cancelled at a quarter of the way. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <specreg/specreg.h>

enum { N = 200 };

typedef struct watch {
    double stop_at; /* share of the search after which to cancel; above 1: never */
    int calls;
    double share;
} watch;

/* On the calling thread, now and then.  Not zero: stop. */
static int report(const specreg_progress *progress, void *payload)
{
    watch *w = payload;
    w->calls++;
    if (strcmp(progress->stage, "search") == 0 && progress->steps > 0)
        w->share = (double)progress->step / (double)progress->steps;
    return w->share >= w->stop_at;
}

static specreg_status run(specreg_context *ctx, double stop_at, watch *w, specreg_model **model)
{
    double x[N], y[N];
    const specreg_view X = {x, N, 1, 1}, Y = {y, N, 1, 1};
    for (int i = 0; i < N; i++) {
        x[i] = 0.05 * i;
        y[i] = sin(x[i]) + 0.1 * sin(37.0 * i);
    }
    w->stop_at = stop_at;
    w->calls = 0;
    w->share = 0;
    specreg_set_progress(ctx, report, w);
    return specreg_fit_arrays(ctx, &X, &Y, NULL, model);
}

int main(void)
{
    specreg_context *ctx = NULL;
    specreg_model *model = NULL;
    watch w;
    int rc = 1;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        return 1;
    specreg_status st = run(ctx, 2, &w, &model);
    if (st != SPECREG_OK) {
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
        goto done;
    }
    printf("first run: done, %d calls, %.0f %% of the search\n", w.calls, 100 * w.share);
    if (w.share != 1)
        goto done;
    specreg_model_free(model);

    st = run(ctx, 0.25, &w, &model); /* sets model to NULL */
    printf("second run: %s (%s)\n", specreg_last_error(ctx), specreg_status_string(st));
    rc = st == SPECREG_E_CANCELLED && !model && w.share < 1 ? 0 : 1;
done:
    specreg_model_free(model);
    specreg_context_free(ctx);
    return rc;
}

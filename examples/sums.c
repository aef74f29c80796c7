/* Sums as files: the rows of two days are added up apart, merged, and the first day is taken back.
 * The model of the sums is that of the rows.
 *
 * It writes its files into the current folder and removes them. */
#include <math.h>
#include <stdio.h>

#include <specreg/specreg.h>

enum { MONDAY = 3000, TUESDAY = 2000 };
static const char *const DAYS[] = {"example_monday.csv", "example_tuesday.csv"},
                         *const PARTS[] = {"example_monday.sums", "example_tuesday.sums"},
                         *const BASIS = "example.srb", *const ALL = "example_all.sums",
                         *const REST = "example_rest.sums";

/* y = sin(5 u) + v, rows first to first + n. */
static int write_day(const char *path, int first, int n)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return 0;
    fprintf(f, "u,v,y\n");
    for (int i = first; i < first + n; i++) {
        const double u = fmod(0.618034 * i, 1), v = fmod(0.754878 * i, 1);
        fprintf(f, "%.6f,%.6f,%.6f\n", u, v, sin(5 * u) + v);
    }
    return fclose(f) == 0;
}

/* The same bytes? */
static int same_files(const char *a, const char *b)
{
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    int c = 0, d = f && g ? 0 : 1;
    while (f && g && c == d && c != EOF) {
        c = getc(f);
        d = getc(g);
    }
    if (f)
        fclose(f);
    if (g)
        fclose(g);
    return c == d;
}

/* The basis, the sums of each day, of both, and of both without the first. */
static specreg_status add_up(specreg_context *ctx, const specreg_options *options)
{
    specreg_sums_facts facts;
    specreg_status st = specreg_sums_init(ctx, DAYS[0], options, BASIS);
    for (int i = 0; i < 2 && st == SPECREG_OK; i++)
        st = specreg_sums_add(ctx, BASIS, &DAYS[i], 1, options, PARTS[i]);
    if (st == SPECREG_OK)
        st = specreg_sums_merge(ctx, PARTS, 2, ALL);
    if (st == SPECREG_OK)
        st = specreg_sums_subtract(ctx, ALL, PARTS[0], REST);
    facts.struct_size = sizeof facts;
    if (st == SPECREG_OK)
        st = specreg_sums_info(ctx, ALL, &facts);
    if (st == SPECREG_OK)
        printf("%d rows in %d blocks, %d centres, %d folds\n", (int)facts.rows, (int)facts.blocks,
               (int)facts.centres, (int)facts.parts);
    return st;
}

/* f(0.3, 0.4) of the model of the sums, and of the model of the files. */
static specreg_status predict_both(specreg_context *ctx, const specreg_options *options,
                                   double *of_sums, double *of_rows)
{
    specreg_model *a = NULL, *b = NULL;
    double x[] = {0.3, 0.4};
    const specreg_view X = {x, 1, 2, 2};
    specreg_status st = specreg_fit_sums(ctx, ALL, NULL, &a);
    if (st == SPECREG_OK)
        st = specreg_fit_files(ctx, DAYS, 2, options, &b);
    if (st == SPECREG_OK)
        st = specreg_predict_array(ctx, a, &X, NULL, of_sums, 1);
    if (st == SPECREG_OK)
        st = specreg_predict_array(ctx, b, &X, NULL, of_rows, 1);
    specreg_model_free(a);
    specreg_model_free(b);
    return st;
}

int main(void)
{
    specreg_context *ctx = NULL;
    specreg_options *options = NULL;
    double of_sums = 0, of_rows = 1;
    int rc = 1;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        return 1;
    if (!write_day(DAYS[0], 0, MONDAY) || !write_day(DAYS[1], MONDAY, TUESDAY)) {
        fprintf(stderr, "cannot write to this folder\n");
        goto done;
    }
    /* the scale is given, so that it does not follow from the rows that are seen first */
    if (specreg_options_new(ctx, &options) != SPECREG_OK ||
        specreg_options_set(ctx, options, "approx", "rectangle:m=100") != SPECREG_OK ||
        specreg_options_set(ctx, options, "kernel", "rbf:sigma=0.3") != SPECREG_OK ||
        specreg_options_set(ctx, options, "scale", "none") != SPECREG_OK ||
        add_up(ctx, options) != SPECREG_OK ||
        predict_both(ctx, options, &of_sums, &of_rows) != SPECREG_OK) {
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
        goto done;
    }
    /* the centres of the second are rows of both days: another function, nearly as good */
    printf("f(0.3, 0.4): %.5f by sums, %.5f by rows, %.5f exact\n", of_sums, of_rows,
           sin(1.5) + 0.4);
    rc = same_files(REST, PARTS[1]) && fabs(of_sums - sin(1.5) - 0.4) < 1e-3 &&
                 fabs(of_rows - sin(1.5) - 0.4) < 1e-3
             ? 0
             : 1;
done:
    for (int i = 0; i < 2; i++) {
        remove(DAYS[i]);
        remove(PARTS[i]);
    }
    remove(BASIS);
    remove(ALL);
    remove(REST);
    specreg_options_free(options);
    specreg_context_free(ctx);
    return rc;
}

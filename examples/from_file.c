/* From a file to a model file and back: reads a CSV table with a text column, fits, saves, loads,
 * and predicts a second table whose columns stand in another order.
 *
 * It writes its files into the current folder and removes them. */
#include <stdio.h>
#include <string.h>

#include <specreg/specreg.h>

static const char *const TRAIN = "example_houses.csv", *const NEW = "example_new.csv",
                         *const MODEL = "example_houses.srm";

/* A house costs 20 and 40 for each room; in Genoa 30 more. */
static int write_tables(void)
{
    FILE *f = fopen(TRAIN, "w");
    if (!f)
        return 0;
    fprintf(f, "rooms;town;price\n");
    for (int rooms = 1; rooms <= 8; rooms++)
        fprintf(f, "%d;Pisa;%d\n%d;Genoa;%d\n", rooms, 20 + 40 * rooms, rooms, 50 + 40 * rooms);
    if (fclose(f) != 0 || !(f = fopen(NEW, "w")))
        return 0;
    fprintf(f, "town,rooms\nGenoa,4.5\nPisa,4.5\n");
    return fclose(f) == 0;
}

/* Trains and saves; everything but the file is gone afterwards. */
static specreg_status train(specreg_context *ctx)
{
    specreg_options *options = NULL;
    specreg_table *table = NULL;
    specreg_model *model = NULL;
    specreg_status st = specreg_options_new(ctx, &options);
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "target", "price");
    if (st == SPECREG_OK)
        st = specreg_options_set(ctx, options, "kernel", "linear + rbf:sigma={1,2,4}");
    if (st == SPECREG_OK)
        st = specreg_table_read(ctx, TRAIN, options, &table);
    if (st == SPECREG_OK)
        st = specreg_fit(ctx, table, options, &model);
    if (st == SPECREG_OK)
        st = specreg_model_save(ctx, model, MODEL);
    specreg_model_free(model);
    specreg_table_free(table);
    specreg_options_free(options);
    return st;
}

static specreg_status predict(specreg_context *ctx, specreg_table **predicted)
{
    specreg_model *model = NULL;
    specreg_table *table = NULL;
    specreg_status st = specreg_model_load(ctx, MODEL, &model);
    if (st == SPECREG_OK)
        st = specreg_table_read(ctx, NEW, NULL, &table);
    if (st == SPECREG_OK)
        st = specreg_predict(ctx, model, table, NULL, predicted);
    specreg_table_free(table);
    specreg_model_free(model);
    return st;
}

int main(void)
{
    specreg_context *ctx = NULL;
    specreg_table *predicted = NULL;
    int rc = 1;
    if (specreg_context_new(&ctx) != SPECREG_OK)
        return 1;
    if (!write_tables()) {
        fprintf(stderr, "cannot write to this folder\n");
    } else if (train(ctx) != SPECREG_OK || predict(ctx, &predicted) != SPECREG_OK) {
        fprintf(stderr, "%s\n", specreg_last_error(ctx));
    } else {
        const double genoa = specreg_table_number(predicted, 0, 0);
        const double pisa = specreg_table_number(predicted, 1, 0);
        printf("%s of 4.5 rooms: Genoa %.1f, Pisa %.1f\n", specreg_table_name(predicted, 0), genoa,
               pisa);
        /* 230 and 200 but for the regularization */
        rc = strcmp(specreg_table_name(predicted, 0), "price") == 0 && genoa > 225 && genoa < 235 &&
                     pisa > 195 && pisa < 205
                 ? 0
                 : 1;
    }
    specreg_table_free(predicted);
    specreg_context_free(ctx);
    remove(TRAIN);
    remove(NEW);
    remove(MODEL);
    return rc;
}

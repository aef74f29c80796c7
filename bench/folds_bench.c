/* k-fold of the iterative filters in one run against one run without folds: `iterate` takes 1,000
 * steps on ringnorm with one RBF width, once for all rows and once with five folds beside them.
 * Last comes the same search with the engine that `auto` chooses, named.  Interleaved, repeated,
 * the minimum counts; reading the file and starting the process are not in it.  On a busy machine a
 * long fit is interrupted more surely than a short one: the ratio of the calling thread's processor
 * time, which does not count that, stands beside.
 *   folds_bench RINGNORM-CSV [REPEATS-AT-400] [REPEATS-AT-4000] */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <specreg/specreg.h>

typedef struct way { /* the options in which the three columns differ */
    const char *engine, *select, *param;
} way;

/* Even in the logarithm, as the automatic path is. */
#define STEPS \
    "t={1,2,3,4,5,7,9,11,14,17,22,28,36,45,57,73,92,117,149,189,240,304,386,489,621,788,1000}"

enum { PLAIN, MASKED, AUTO, WAYS };
static const way ways[WAYS] = {
    {"iterate", "none", "t=1000"},
    {"iterate", "kfold:k=5", STEPS},
    {"auto", "kfold:k=5", STEPS},
};

static void must(specreg_context *ctx, specreg_status st)
{
    if (st == SPECREG_OK)
        return;
    fprintf(stderr, "folds_bench: %s\n", specreg_last_error(ctx));
    exit(1);
}

static specreg_options *options_of(specreg_context *ctx, const char *filter, const way *w)
{
    specreg_options *o = NULL;
    must(ctx, specreg_options_new(ctx, &o));
    must(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma=4"));
    must(ctx, specreg_options_set(ctx, o, "filter", filter));
    must(ctx, specreg_options_set(ctx, o, "engine", w->engine));
    must(ctx, specreg_options_set(ctx, o, "select", w->select));
    must(ctx, specreg_options_set(ctx, o, "param", w->param));
    return o;
}

typedef struct seconds {
    double wall, processor;
} seconds;

static seconds now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (seconds){omp_get_wtime(), (double)t.tv_sec + 1e-9 * (double)t.tv_nsec};
}

/* Keeps the least of each. */
static void fit(specreg_context *ctx, const specreg_table *train, const char *filter, const way *w,
                seconds *least)
{
    specreg_options *o = options_of(ctx, filter, w);
    specreg_model *model = NULL;
    const seconds start = now();
    must(ctx, specreg_fit(ctx, train, o, &model));
    const seconds end = now();
    const double wall = end.wall - start.wall, processor = end.processor - start.processor;
    least->wall = wall < least->wall ? wall : least->wall;
    least->processor = processor < least->processor ? processor : least->processor;
    specreg_model_free(model);
    specreg_options_free(o);
}

/* The engine that a search takes, into `name` (16 bytes). */
static void engine_of(specreg_context *ctx, const specreg_table *train, const char *filter,
                      const way *w, char *name)
{
    specreg_options *o = options_of(ctx, filter, w);
    char *json = NULL;
    must(ctx, specreg_plan(ctx, train, o, &json));
    const char *key = strstr(json, "\"search_engine\"");
    if (!key || sscanf(key, "\"search_engine\": \"%15[a-z]", name) != 1)
        strcpy(name, "?");
    specreg_string_free(json);
    specreg_options_free(o);
}

/* The first n rows; the first 400 are the training rows of the benchmark's first split. */
static specreg_table *first_rows(specreg_context *ctx, const specreg_table *all, int64_t n)
{
    specreg_table *train = NULL;
    int64_t *row = malloc(sizeof *row * (size_t)n);
    for (int64_t i = 0; i < n; i++)
        row[i] = i;
    must(ctx, specreg_table_select(ctx, all, row, n, &train));
    free(row);
    return train;
}

static void compare(specreg_context *ctx, const specreg_table *all, int64_t n, const char *filter,
                    int repeats, double limit)
{
    specreg_table *train = first_rows(ctx, all, n);
    seconds least[WAYS] = {{1e9, 1e9}, {1e9, 1e9}, {1e9, 1e9}};
    char engine[16];
    engine_of(ctx, train, filter, &ways[AUTO], engine);
    for (int r = 0; r < repeats; r++)
        for (int w = 0; w < WAYS; w++)
            fit(ctx, train, filter, &ways[w], &least[w]);
    const double ratio = least[MASKED].wall / least[PLAIN].wall;
    printf("  %4lld rows, %-9s  plain %7.4f s   masked %7.4f s   ratio %.2f (%s %.1f; "
           "processor time %.2f)   %s %7.4f s\n",
           (long long)n, filter, least[PLAIN].wall, least[MASKED].wall, ratio,
           ratio < limit ? "below" : "NOT below", limit,
           least[MASKED].processor / least[PLAIN].processor, engine, least[AUTO].wall);
    specreg_table_free(train);
}

int main(int argc, char **argv)
{
    static const char *const filters[] = {"landweber", "nu"};
    const int repeats = argc > 2 ? atoi(argv[2]) : 30, repeats_large = argc > 3 ? atoi(argv[3]) : 2;
    specreg_context *ctx = NULL;
    specreg_table *all = NULL;
    if (argc < 2) {
        fprintf(stderr, "usage: folds_bench RINGNORM-CSV [REPEATS-AT-400] [REPEATS-AT-4000]\n");
        return 2;
    }
    specreg_context_new(&ctx);
    must(ctx, specreg_table_read(ctx, argv[1], NULL, &all));
    printf("five folds in one run, ringnorm, 1,000 steps, minimum of %d and %d\n", repeats,
           repeats_large);
    for (int f = 0; f < 2; f++)
        compare(ctx, all, 400, filters[f], repeats, 2);
    for (int f = 0; f < 2; f++)
        compare(ctx, all, 4000, filters[f], repeats_large, 2.5);
    specreg_table_free(all);
    specreg_context_free(ctx);
    return 0;
}

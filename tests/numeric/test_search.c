/* Grids that are extended (--extend), and searches that look at fewer kernels (--search): against
 * the same search over a grid written out. */
#include "numeric/models.h"

/* n rows; the function varies over a length of about `length`, which is what the kernel's width
 * should be.  classes 0: a number; else so many classes, every ninth row of the third. */
typedef struct shape {
    int64_t n;
    double length;
    int classes;
} shape;

/* Columns x1, x2, site (8 of them), w (1 to 3), y. */
static specreg_table *make_table(specreg_context *ctx, const char *name, shape s)
{
    double *u = kit_uniform(41, s.n, 2), *e = kit_normal(42, s.n, 1);
    FILE *f = fopen(kit_temp(name), "w");
    fprintf(f, "x1,x2,site,w,y\n");
    for (int64_t i = 0; i < s.n; i++) {
        const double a = 4 * u[2 * i], b = (s.length < 0.5 ? 0.01 : 4) * u[2 * i + 1];
        const double v = fmax(1, s.length) * sin(2 * a / s.length) * cos(b / s.length) +
                         (s.length > 1 ? 1 : 0.2) * e[i];
        fprintf(f, "%.17g,%.17g,s%d,%d,", a, b, (int)(i % 8), (int)(1 + i % 3));
        if (s.classes == 0)
            fprintf(f, "%.17g\n", v);
        else
            fprintf(f, "%c\n", s.classes == 3 && i % 9 == 0 ? 'c' : v > 0 ? 'a' : 'b');
    }
    fclose(f);
    free(e);
    free(u);
    return read_table(ctx, kit_temp(name));
}

static json_t *fit(specreg_context *ctx, const specreg_table *t, const specreg_options *o)
{
    specreg_model *m = fitted(ctx, t, o);
    json_t *r = record_of(ctx, m);
    specreg_model_free(m);
    return r;
}

#define ROLES "group", "site", "weights", "w"

static bool has_note(const json_t *record, const char *part)
{
    const json_t *notes = json_object_get(record, "notes");
    for (size_t i = 0; i < json_array_size(notes); i++)
        if (strstr(json_string_value(json_array_get(notes, i)), part))
            return true;
    return false;
}

/* Different kernels in the table, those of rows without a value apart. */
static int64_t count_kernels(const json_t *record, bool left)
{
    const json_t *table = at(record, "selection.table");
    int64_t count = 0;
    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *row = json_array_get(table, i), *kernel = at(row, "kernel");
        size_t j = 0;
        while (j < i && !json_equal(at(json_array_get(table, j), "kernel"), kernel))
            j++;
        count += j == i && left == json_is_null(at(row, "value"));
    }
    return count;
}

static int64_t kernels_of(const json_t *record)
{
    return count_kernels(record, false);
}

/* A kernel that was not compared has one row, without numbers, that says why. */
static void check_left(const json_t *record, int64_t kernels, const char *why)
{
    const json_t *table = at(record, "selection.table");
    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *row = json_array_get(table, i);
        CHECK_EQ(json_object_get(row, "reason") != NULL, json_is_null(at(row, "value")));
        if (json_object_get(row, "reason")) {
            CHECK_STR(text_at(row, "reason"), why);
            CHECK(json_is_null(at(row, "lambda")));
        }
    }
    CHECK_EQ(count_kernels(record, true), kernels);
}

/* The range of a number over the rows of the table, "kernel.sigma" or "lambda". */
static void range_of(const json_t *record, const char *what, double *least, double *most)
{
    const json_t *table = at(record, "selection.table");
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t i = 0; i < json_array_size(table); i++)
        if (!json_is_null(at(json_array_get(table, i), "value"))) {
            *least = fmin(*least, number_at(json_array_get(table, i), what));
            *most = fmax(*most, number_at(json_array_get(table, i), what));
        }
}

/* The winner is the best row of the table, whose kernel it has. */
static void check_winner(const json_t *record)
{
    const json_t *table = at(record, "selection.table");
    bool found = false;
    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *row = json_array_get(table, i);
        if (json_is_null(at(row, "value")))
            continue;
        CHECK(!(number_at(row, "value") < number_at(record, "selection.value")));
        found = found || (json_equal(at(row, "kernel"), at(record, "kernel")) &&
                          number_at(row, "value") == number_at(record, "selection.value") &&
                          number_at(row, "lambda") == number_at(record, "filter.lambda"));
    }
    CHECK(found);
}

/* ------------------------------------------------------------------ extension */

/* Far wider and far narrower than a quarter or four times the median distance. */
TEST(extend, a_best_width_beyond_the_automatic_grid_is_found)
{
    static const double lengths[] = {100, 0.1};
    for (int i = 0; i < 2; i++) {
        double least, most;
        specreg_table *t = make_table(ctx, "far.csv", (shape){i ? 300 : 150, lengths[i], 0});
        specreg_options *o =
            options_of(ctx, "scale", "none", "kernel", "rbf", "param", "lambda=log:1e-10:1:11",
                       "select", "kfold:k=3", ROLES, NULL);
        json_t *with = fit(ctx, t, o);
        specreg_options_set(ctx, o, "extend", "no");
        json_t *without = fit(ctx, t, o);
        const double sigma = number_at(with, "kernel.sigma");
        range_of(without, "kernel.sigma", &least, &most);
        CHECK(i ? sigma < least : sigma > most);
        CHECK(number_at(with, "selection.value") < number_at(without, "selection.value"));
        CHECK(has_note(with, "lay at the edge of the grid, which was extended by "));
        CHECK(!has_note(with, "sigma="));
        CHECK(!has_note(without, "grid, which was extended"));
        CHECK(has_note(without, i ? "is the smallest value tried: a wider range may do better"
                                  : "is the largest value tried: a wider range may do better"));
        CHECK_EQ(kernels_of(without), 11);
        CHECK(kernels_of(with) > 12); /* one beyond the winner, to see that it is the last */
        check_winner(with);
        check_winner(without);
        range_of(with, "kernel.sigma", &least, &most);
        CHECK(least < sigma && sigma < most);
        json_decref(without);
        json_decref(with);
        specreg_options_free(o);
        specreg_table_free(t);
    }
}

/* The search over the widths that were tried, written out, finds the same. */
TEST(extend, it_is_the_search_over_the_longer_grid)
{
    specreg_table *t = make_table(ctx, "far.csv", (shape){80, 100, 0});
    specreg_options *o =
        options_of(ctx, "param", "lambda=log:1e-10:1:11", "select", "gcv", ROLES, NULL);
    json_t *auto_ = fit(ctx, t, o), *row;
    char list[2000] = "rbf:sigma={";
    double last = 0;
    size_t i;
    json_array_foreach (at(auto_, "selection.table"), i, row) {
        const double sigma = number_at(row, "kernel.sigma");
        if (sigma != last)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.17g", i ? "," : "",
                     sigma);
        last = sigma;
    }
    strcat(list, "}");
    specreg_options_set(ctx, o, "kernel", list);
    json_t *given = fit(ctx, t, o);
    CHECK(kernels_of(auto_) > 11);
    CHECK(json_equal(at(auto_, "kernel"), at(given, "kernel")));
    CHECK(json_equal(at(auto_, "filter"), at(given, "filter")));
    CHECK_SAME(number_at(auto_, "selection.value"), number_at(given, "selection.value"));
    json_decref(given);
    json_decref(auto_);
    specreg_options_free(o);
    specreg_table_free(t);
}

TEST(extend, a_given_list_or_range_is_extended_when_asked)
{
    static const char *const kernels[] = {"rbf:sigma={0.5,1,2}", "rbf:sigma=log:0.5:2:3",
                                          "laplace:sigma={0.5,1,2}", "matern:sigma={0.5,1,2}",
                                          "rbf:sigma={0.5,1,2} + 0.1*linear"};
    specreg_table *t = make_table(ctx, "far.csv", (shape){60, 100, 0});
    for (int k = 0; k < 5; k++)
        for (int yes = 0; yes < 3; yes++) { /* no, auto: the list as it stands; yes: longer */
            static const char *const how[] = {"no", "auto", "yes"};
            specreg_options *o =
                options_of(ctx, "kernel", kernels[k], "param", "lambda=log:1e-6:1:7", "select",
                           "gcv", "extend", how[yes], ROLES, "scale", "none", NULL);
            json_t *r = fit(ctx, t, o);
            CHECK_EQ(kernels_of(r) > 3, yes == 2);
            CHECK_EQ(has_note(r, "which was extended"), yes == 2);
            check_winner(r);
            json_decref(r);
            specreg_options_free(o);
        }
    specreg_table_free(t);
}

/* Where one more was tried and is worse, the grid was not too narrow; a nu of 7.5 there is not. */
TEST(extend, what_is_noted_afterwards_is_true)
{
    specreg_table *t = make_table(ctx, "near.csv", (shape){80, 1, 0});
    specreg_options *o = options_of(ctx, "param", "lambda=log:1e-4:1:5", "select", "gcv", ROLES,
                                    "kernel", "rbf:sigma=log:0.01:4:20", "scale", "none", NULL);
    double sigma[2];
    json_t *r = fit(ctx, t, o);
    char list[200];
    sigma[0] =
        number_at(r, "kernel.sigma"); /* the best of a fine grid is the last of a short one */
    json_decref(r);
    snprintf(list, sizeof list, "rbf:sigma={%.17g,%.17g,%.17g}", sigma[0], sigma[0] / 1.4,
             sigma[0] / 1.96);
    specreg_options_set(ctx, o, "kernel", list);
    specreg_options_set(ctx, o, "extend", "yes");
    r = fit(ctx, t, o);
    sigma[1] = number_at(r, "kernel.sigma");
    CHECK(kernels_of(r) > 3);
    CHECK(!has_note(r, "value tried"));
    CHECK(sigma[1] >= sigma[0]);
    json_decref(r);
    specreg_options_set(ctx, o, "kernel", "matern:nu={0.5,1.5,2.5},sigma=1");
    r = fit(ctx, t, o);
    CHECK_EQ(kernels_of(r), 3);
    CHECK(!has_note(r, "extended by"));
    json_decref(r);
    specreg_options_free(o);
    specreg_table_free(t);
}

/* Too short a path at either end is continued once: by a factor of 100 for lambda, 10 for t. */
TEST(extend, a_path_is_extended_once_beyond_its_best_end)
{
    static const struct {
        const char *filter, *param, *name;
        double least, most; /* of the extended path */
    } paths[] = {
        {"tikhonov", "lambda={1,0.7,0.5}", "lambda", 0.005, 1},
        {"tikhonov", "lambda={1e-12,1e-11,1e-10}", "lambda", 1e-12, 1e-8},
        {"landweber", "t={1,2,3}", "t", 1, 30},
        {"nu", "t=1:4", "t", 1, 40},
    };
    specreg_table *t = make_table(ctx, "near.csv", (shape){80, 1, 0});
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        for (int yes = 0; yes < 2; yes++) {
            double least, most;
            specreg_options *o =
                options_of(ctx, "kernel", "rbf:sigma=0.4", "filter", paths[i].filter, "param",
                           paths[i].param, "select", "kfold:k=4", "scale", "none", ROLES, "extend",
                           yes ? "yes" : "auto", NULL);
            json_t *r = fit(ctx, t, o), *row;
            char winner[32];
            size_t k;
            snprintf(winner, sizeof winner, "filter.%s", paths[i].name);
            range_of(r, paths[i].name, &least, &most);
            CHECK_EQ(has_note(r, "lay at the edge of its range, which was extended"), yes);
            if (yes) {
                CHECK_NEAR(least / paths[i].least, 1, 1e-12);
                CHECK_NEAR(most / paths[i].most, 1, 1e-12);
            } else {
                CHECK(has_note(r, "value tried: a wider range may do better"));
            }
            CHECK_EQ(kernels_of(r), 1);
            json_array_foreach (at(r, "selection.table"), k, row) {
                CHECK(!(number_at(row, "value") < number_at(r, "selection.value")));
                CHECK_SAME(number_at(row, "kernel.sigma"), 0.4);
            }
            json_decref(r);
            specreg_options_free(o);
        }
    specreg_table_free(t);
}

/* The winner of an extended path predicts as the same values given at once. */
TEST(extend, the_model_is_that_of_its_parameters)
{
    specreg_table *t = make_table(ctx, "far.csv", (shape){150, 100, 0});
    for (int rule = 0; rule < 4; rule++) { /* from the fit itself, by folds, by trials, 1se */
        static const char *const select[] = {"gcv", "kfold:k=3", "holdout", "kfold:k=3"};
        char kernel[64], param[64];
        specreg_options *o =
            options_of(ctx, "kernel", "rbf:sigma={0.5,1,2}", "param", "lambda=log:1e-8:1:9",
                       "select", select[rule], "extend", "yes", "scale", "none", ROLES, NULL);
        if (rule == 3)
            specreg_options_set(ctx, o, "rule", "1se");
        specreg_model *m = fitted(ctx, t, o);
        json_t *r = record_of(ctx, m);
        snprintf(kernel, sizeof kernel, "rbf:sigma=%.17g", number_at(r, "kernel.sigma"));
        snprintf(param, sizeof param, "lambda=%.17g", number_at(r, "filter.lambda"));
        CHECK(number_at(r, "kernel.sigma") >= 2 && kernels_of(r) > 3);
        CHECK(rule > 1 || number_at(r, "kernel.sigma") > 2);
        specreg_options *p =
            options_of(ctx, "kernel", kernel, "param", param, "scale", "none", ROLES, NULL);
        specreg_model *same = fitted(ctx, t, p);
        specreg_table *a = predicted(ctx, m, t), *b = predicted(ctx, same, t);
        double *x = numbers_of(a), *y = numbers_of(b);
        CHECK_ARRAY_NEAR(x, y, specreg_table_rows(a), kit_tolerance(150, 1e8));
        free(y);
        free(x);
        specreg_table_free(b);
        specreg_table_free(a);
        specreg_model_free(same);
        specreg_options_free(p);
        json_decref(r);
        specreg_model_free(m);
        specreg_options_free(o);
    }
    specreg_table_free(t);
}

/* Rules that see a path as a whole are not given another one. */
TEST(extend, paths_of_rules_that_look_along_them_stay_as_they_are)
{
    static const char *const rules[] = {"discrepancy:noise=1e-9", "balancing", "quasi", "lcurve"};
    specreg_table *t = make_table(ctx, "near.csv", (shape){60, 1, 0});
    for (int i = 0; i < 4; i++) {
        specreg_options *o =
            options_of(ctx, "kernel", "rbf:sigma=1", "param", "lambda=log:1e-2:1:9", "select",
                       rules[i], "extend", "yes", ROLES, NULL);
        json_t *r = fit(ctx, t, o);
        CHECK_EQ(json_array_size(at(r, "selection.table")), 9);
        json_decref(r);
        specreg_options_free(o);
    }
    specreg_table_free(t);
}

/* ------------------------------------------------------------------ fewer kernels */

#define GRID "rbf:sigma=log:0.02:50:24"

TEST(search, coarse_finds_the_winner_of_the_grid_with_fewer_kernels)
{
    for (int classes = 0; classes <= 3; classes += classes ? 1 : 2) {
        specreg_table *t = make_table(ctx, "clear.csv", (shape){240, 1, classes});
        static const char *const rules[] = {"kfold:k=4", "holdout", "gcv"};
        for (int i = 0; i < 3; i++) {
            specreg_options *o = options_of(ctx, "kernel", GRID, "param", "lambda=log:1e-6:1:5",
                                            "select", rules[i], "scale", "none", ROLES, NULL);
            json_t *all = fit(ctx, t, o);
            specreg_options_set(ctx, o, "search", "coarse");
            json_t *few = fit(ctx, t, o);
            const double best = number_at(all, "selection.value"),
                         found = number_at(few, "selection.value");
            char note[100];
            CHECK_EQ(kernels_of(all), 24);
            CHECK(kernels_of(few) <= 9); /* 3 at distance 8, then 2 each at 4, 2 and 1 */
            snprintf(note, sizeof note, "coarse search: %d of 24 kernels were compared",
                     (int)kernels_of(few));
            CHECK(has_note(few, note));
            check_left(few, 24 - kernels_of(few), "not next to the best");
            CHECK_STR(text_at(few, "selection.search"), "coarse");
            CHECK(found >= best);
            if (i < 2)
                CHECK(found <= best + number_at(all, "selection.stderr"));
            if (!classes) /* one minimum */
                CHECK(json_equal(at(few, "kernel"), at(all, "kernel")));
            check_winner(few);
            json_decref(few);
            json_decref(all);
            specreg_options_free(o);
        }
        specreg_table_free(t);
    }
}

/* Several lists at once. */
TEST(search, coarse_goes_along_every_list)
{
    specreg_table *t = make_table(ctx, "clear.csv", (shape){100, 1, 0});
    specreg_options *o =
        options_of(ctx, "kernel", "rbf:sigma=log:0.1:10:9 + 0.5*laplace:sigma=log:0.1:10:9",
                   "param", "lambda={1e-2,1e-4}", "select", "kfold:k=3", "scale", "none", ROLES,
                   "search", "coarse", NULL);
    json_t *few = fit(ctx, t, o);
    specreg_options_set(ctx, o, "search", "grid");
    json_t *all = fit(ctx, t, o);
    CHECK_EQ(kernels_of(all), 81);
    CHECK(kernels_of(few) < 27);
    CHECK(number_at(few, "selection.value") <=
          number_at(all, "selection.value") + number_at(all, "selection.stderr"));
    check_winner(few);
    json_decref(all);
    json_decref(few);
    specreg_options_free(o);
    specreg_table_free(t);
}

/* The first lines of a file of splits: every row trains in all but one of four. */
static const char *split_rule(char rule[300], int64_t n)
{
    FILE *f = fopen(kit_temp("race.txt"), "w");
    for (int s = 0; s < 4; s++) {
        for (int64_t i = 0; i < n; i++)
            if (i % 8 / 2 != s)
                fprintf(f, "%d ", (int)i);
        fprintf(f, "\n");
    }
    fclose(f);
    snprintf(rule, 300, "splits:%s", kit_temp("race.txt"));
    return rule;
}

TEST(search, race_finds_a_winner_as_good_as_the_grids)
{
    enum { ROWS = 800 };
    char splits[300];
    const struct {
        int classes;
        const char *select, *weights, *group;
    } how[] = {
        {0, "kfold:k=3", NULL, NULL}, {0, "kfold:k=3", "w", "site"},
        {0, "holdout", "w", NULL},    {0, split_rule(splits, ROWS), "w", NULL},
        {2, "kfold:k=3", NULL, NULL}, {3, "kfold:k=3", "w", NULL},
        {3, splits, NULL, NULL},      {0, "gcv", "w", "site"},
    };
    for (size_t i = 0; i < sizeof how / sizeof *how; i += kit_whole() ? 1 : 3) {
        specreg_table *t = make_table(ctx, "race.csv", (shape){ROWS, 1, how[i].classes});
        specreg_options *o =
            options_of(ctx, "kernel", "rbf:sigma=log:0.05:20:8", "param", "lambda={1e-2,1e-4}",
                       "select", how[i].select, "scale", "none", "weights", how[i].weights, "group",
                       how[i].group, "engine", "cholesky", NULL);
        if (strcmp(how[i].select, "gcv") == 0)
            specreg_options_set(ctx, o, "engine", "eig");
        json_t *all = fit(ctx, t, o);
        specreg_options_set(ctx, o, "search", "race");
        json_t *few = fit(ctx, t, o);
        print_message("  %d classes, %.10s\n", how[i].classes, how[i].select);
        CHECK_EQ(kernels_of(all), 8);
        CHECK(kernels_of(few) >= 2 && kernels_of(few) <= 4); /* and neighbours of the best */
        check_left(few, 8 - kernels_of(few), "behind others on a part of the rows");
        CHECK(has_note(few, "race: 8 kernels were compared on 4"));
        CHECK(has_note(few, " of 800 rows, "));
        CHECK_STR(text_at(few, "selection.search"), "race");
        CHECK(number_at(few, "selection.value") >= number_at(all, "selection.value"));
        if (strcmp(how[i].select, "gcv") != 0)
            CHECK(number_at(few, "selection.value") <=
                  number_at(all, "selection.value") + number_at(all, "selection.stderr"));
        else
            CHECK(json_equal(at(few, "kernel"), at(all, "kernel")));
        check_winner(few);
        json_decref(few);
        json_decref(all);
        specreg_options_free(o);
        specreg_table_free(t);
    }
}

TEST(search, race_in_two_heats_finds_the_grids_winner)
{
    specreg_table *t = make_table(ctx, "race.csv", (shape){6400, 1, 0});
    specreg_options *o =
        options_of(ctx, "kernel", "rbf:sigma=log:0.05:20:9", "filter", "nu", "param", "t=12",
                   "select", "holdout", "scale", "none", "engine", "iterate", NULL);
    json_t *all = fit(ctx, t, o);
    specreg_options_set(ctx, o, "search", "race");
    json_t *few = fit(ctx, t, o);
    CHECK(has_note(few, "race: 9 kernels were compared on 400 of 6400 rows, "));
    CHECK(has_note(few, " of them on 1600, "));
    CHECK(json_equal(at(few, "kernel"), at(all, "kernel")));
    CHECK_NEAR(number_at(few, "selection.value"), number_at(all, "selection.value"), 1e-9);
    CHECK(kernels_of(all) == 9 && kernels_of(few) <= 4);
    json_decref(few);
    json_decref(all);
    specreg_options_free(o);
    specreg_table_free(t);
}

/* All kernels on all rows, and a note that says why: the record of the grid but for that. */
static void check_no_race(specreg_context *ctx, const specreg_table *t, specreg_options *o,
                          const char *why)
{
    json_t *all = fit(ctx, t, o);
    specreg_options_set(ctx, o, "search", "race");
    json_t *few = fit(ctx, t, o);
    CHECK(has_note(few, why));
    CHECK(json_equal(at(few, "selection.table"), at(all, "selection.table")));
    CHECK(json_equal(at(few, "kernel"), at(all, "kernel")));
    json_decref(few);
    json_decref(all);
    specreg_options_free(o);
}

TEST(search, without_rows_or_kernels_to_spare_race_compares_all_and_says_so)
{
    specreg_table *t = make_table(ctx, "small.csv", (shape){790, 1, 0}); /* 400 twice is more */
    check_no_race(ctx, t,
                  options_of(ctx, "kernel", "rbf:sigma={0.5,1,2}", "param", "lambda=1e-2", "select",
                             "holdout", ROLES, NULL),
                  "race: too few rows or kernels, all were compared on all rows");
    specreg_table_free(t);
    t = make_table(ctx, "small.csv", (shape){900, 1, 0});
    check_no_race(ctx, t,
                  options_of(ctx, "kernel", "rbf:sigma={0.5,1}", "param", "lambda=1e-2", "select",
                             "holdout", ROLES, NULL),
                  "race: too few rows or kernels");
    /* eight groups give eight folds, but not those of half of the rows */
    check_no_race(ctx, t,
                  options_of(ctx, "kernel", "rbf:sigma={0.5,1,2}", "param", "lambda=1e-2", "select",
                             "kfold:k=8", "engine", "cholesky", ROLES, NULL),
                  "race: a part of the rows has too few of a group or class");
    specreg_table_free(t);
}

/* More components than the part has rows are no matter of the race. */
TEST(search, race_takes_as_many_components_as_there_are)
{
    specreg_table *t = make_table(ctx, "race.csv", (shape){900, 1, 0});
    specreg_options *o = options_of(ctx, "kernel", "rbf:sigma={0.2,0.5,1}", "filter", "tsvd",
                                    "param", "components={5,20,600}", "select", "gcv", "search",
                                    "race", "scale", "none", ROLES, NULL);
    json_t *r = fit(ctx, t, o);
    CHECK_EQ(kernels_of(r), 2);
    CHECK_EQ(json_array_size(at(r, "selection.table")), 7); /* one of the kernel that was left */
    double least, most;
    range_of(r, "components", &least, &most);
    CHECK_EQ(most, 600);
    json_decref(r);
    specreg_options_free(o);
    specreg_table_free(t);
}

/* How far the comparing stages were last seen. */
typedef struct bar {
    char stage[16];
    int64_t step, steps;
    int ended; /* stages that were left at their end */
} bar;

static int watch(const specreg_progress *p, void *payload)
{
    bar *b = payload;
    const bool same = strcmp(b->stage, p->stage) == 0;
    CHECK(p->step >= 0 && p->step <= p->steps && (!same || p->step >= b->step));
    if (!same && (strcmp(b->stage, "race") == 0 || strcmp(b->stage, "search") == 0)) {
        CHECK_EQ(b->step, b->steps);
        b->ended++;
    }
    snprintf(b->stage, sizeof b->stage, "%s", p->stage);
    b->step = p->step;
    b->steps = p->steps;
    return 0;
}

TEST(search, progress_only_grows_and_ends_at_its_end_whatever_is_left_out)
{
    static const char *const kernels[] = {"{rbf,laplace,linear}", "rbf:sigma=log:0.05:20:8"};
    static const char *const how[] = {"grid", "exhaustive", "coarse", "race"};
    specreg_table *t = make_table(ctx, "race.csv", (shape){810, 1, 0});
    for (int i = 0; i < 8; i++) {
        bar b = {.stage = "none yet"};
        specreg_options *o =
            options_of(ctx, "kernel", kernels[i / 4], "search", how[i % 4], "param", "lambda=1e-2",
                       "select", "holdout", "engine", "cholesky", NULL);
        specreg_set_progress(ctx, watch, &b);
        specreg_model_free(fitted(ctx, t, o));
        specreg_set_progress(ctx, NULL, NULL);
        CHECK_EQ(b.ended, i % 4 == 3 ? 2 : 1); /* then the best is trained on all rows */
        specreg_options_free(o);
    }
    specreg_table_free(t);
}

/* path has a row for every kernel and point, and trains each. */
TEST(search, path_shows_every_kernel_and_keeps_no_checkpoint)
{
    specreg_table *t = make_table(ctx, "small.csv", (shape){40, 1, 0});
    specreg_options *o = options_of(ctx, "search", "coarse", NULL);
    char *text;
    CHECK_FAILS(ctx, specreg_path(ctx, t, NULL, o, &text), SPECREG_E_ARG,
                "search: path shows every kernel: coarse is for fit and cv");
    specreg_options_set(ctx, o, "search", NULL);
    const int files = kit_temp_count();
    specreg_options_set(ctx, o, "checkpoint", kit_temp("path.ck"));
    CHECK_FAILS(ctx, specreg_path(ctx, t, NULL, o, &text), SPECREG_E_ARG,
                "checkpoint: path trains every point anew: it is for fit and cv");
    CHECK(!text);
    CHECK_EQ(kit_temp_count(), files);
    specreg_options_free(o);
    specreg_table_free(t);
}

/* Wide rows, many of them, and three kernels: the distances of all pairs are computed once. */
static void check_shared(specreg_context *ctx, const specreg_table *t, const char *form,
                         const char *engine)
{
    static const char *const width[] = {"9", "6", "4"}; /* in the order of the table */
    ;
    char text[80];
    snprintf(text, sizeof text, form, "{4,6,9}");
    specreg_options *o = options_of(ctx, "kernel", text, "param", "lambda={1e-3,1e-2,1e-1}",
                                    "select", "loo", "engine", engine, NULL);
    json_t *all = fit(ctx, t, o);
    CHECK_EQ(json_array_size(at(all, "selection.table")), 9);
    for (int c = 0; c < 3; c++) {
        snprintf(text, sizeof text, form, width[c]);
        CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", text));
        json_t *one = fit(ctx, t, o);
        for (int i = 0; i < 3; i++) {
            const json_t *a = json_array_get(at(all, "selection.table"), (size_t)(3 * c + i));
            const json_t *b = json_array_get(at(one, "selection.table"), (size_t)i);
            CHECK(json_equal(at(a, "kernel"), at(b, "kernel")));
            CHECK_SAME(number_at(a, "lambda"), number_at(b, "lambda"));
            CHECK_WORST("kernels that share distances",
                        fabs(number_at(a, "value") / number_at(b, "value") - 1),
                        kit_tolerance(specreg_table_rows(t), 1e3));
        }
        json_decref(one);
    }
    json_decref(all);
    specreg_options_free(o);
}

TEST(search, kernels_that_share_distances_get_the_values_that_each_gets_alone)
{
    enum { ROWS = 520, COLS = 34 };
    double *X = kit_normal(51, ROWS, COLS), *y = smooth_target(X, ROWS, COLS, 0.3, 52);
    specreg_table *t = table_of(ctx, X, ROWS, COLS, y, 1);
    check_shared(ctx, t, "rbf:sigma=%s", "eig");
    check_shared(ctx, t, "laplace:sigma=%s", "eig");
    check_shared(ctx, t, "rbf:sigma=%s", "band");
    check_shared(ctx, t, "matern:nu=1.5,sigma=%s", "cholesky");
    specreg_table_free(t);
    free(y);
    free(X);
}

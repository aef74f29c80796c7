/* Which column is for what, which rows train, and what they weigh. */
#include "small_table.h"

#include "data/rows.h"
#include "data/weights.h"
#include "model/dataset.h"

/* x, site, w, y: site and w are no features. */
static specreg_table *table(specreg_context *ctx)
{
    return small_table(ctx, "t.csv", true, 6, 4,
                       CELLS("x", "site", "w", "y",  /**/
                             "1", "b", "1", "cat",   /**/
                             "2", "a", "0.5", "dog", /**/
                             "", "b", "0", "bird",   /* not there: weight zero */
                             "4", "a", "2", "cat",   /**/
                             "8", "c", "3", "dog",   /**/
                             "9", "a", "1", "cat"));
}

static specreg_options *options_of(specreg_context *ctx, const char *const *pairs, int count)
{
    specreg_options *o;
    assert_ok(ctx, specreg_options_new(ctx, &o));
    for (int i = 0; i < count; i++)
        assert_ok(ctx, specreg_options_set(ctx, o, pairs[2 * i], pairs[2 * i + 1]));
    return o;
}

static specreg_status make(specreg_context *ctx, const specreg_table *t, const char *const *pairs,
                           int count, sri_dataset *d)
{
    specreg_options *o = options_of(ctx, pairs, count);
    sri_recipe recipe;
    sri_kernel_grid grid;
    assert_ok(ctx, sri_recipe_parse(ctx, o, &recipe));
    assert_ok(ctx, sri_kernel_grid_copy(ctx, &recipe.search.kernel, &grid));
    const sri_corpus corpus = {.table = t, .roles = recipe.data.roles};
    specreg_status st = sri_dataset_rows(ctx, &corpus, &recipe, d);
    if (st == SPECREG_OK)
        st = sri_dataset_inputs(ctx, &recipe, &grid, d);
    if (st != SPECREG_OK)
        sri_dataset_free(d);
    sri_kernel_grid_free(&grid);
    sri_recipe_free(&recipe);
    specreg_options_free(o);
    return st;
}

TEST(roles, groups_and_weights_are_no_features)
{
    static const int64_t keep[] = {0, 1, 3, 4, 5};
    static const int32_t group[] = {0, 1, 1, 2, 1}; /* b, a, c */
    static const double weight[] = {1, 0.5, 2, 3, 1};
    specreg_table *t = table(ctx);
    sri_dataset d;
    assert_ok(ctx, make(ctx, t, CELLS("group", "site", "weights", "w"), 2, &d));
    assert_int_equal(d.rows.n, 5);
    assert_memory_equal(d.rows.keep, keep, sizeof keep);
    assert_int_equal(d.rows.n_groups, 3);
    assert_memory_equal(d.rows.group, group, sizeof group);
    assert_memory_equal(d.rows.weight, weight, sizeof weight);
    assert_int_equal(d.encoder->n_features, 1);
    assert_string_equal(d.encoder->feature[0].name, "x");
    assert_int_equal(d.target->n_classes, 2); /* the bird is not there */
    assert_true(d.encoder->feature[0].fill == 24.0 / 5);
    sri_dataset_free(&d);
    assert_ok(ctx, make(ctx, t, CELLS("missing", "mean"), 1, &d));
    assert_null(d.rows.group);
    assert_null(d.rows.weight);
    assert_int_equal(d.encoder->n_features, 3);
    sri_dataset_free(&d);
    specreg_table_free(t);
}

/* 3 cats and 2 dogs: 5 / (2 * 3) and 5 / (2 * 2). */
TEST(roles, class_weights_multiply_those_of_the_rows)
{
    specreg_table *t = table(ctx);
    static const double of_row[] = {1, 0.5, 2, 3, 1};
    static const int class[] = {0, 1, 0, 1, 0};
    static const struct {
        const char *text;
        double weight[2];
    } cases[] = {{"balanced", {5.0 / 6, 5.0 / 4}}, {"dog=4", {1, 4}}, {"dog=0.5,cat=7", {7, 0.5}}};
    for (int k = 0; k < 3; k++) {
        sri_dataset d;
        assert_ok(ctx, make(ctx, t, CELLS("weights", "3", "class-weight", cases[k].text), 2, &d));
        for (int i = 0; i < 5; i++)
            assert_true(d.rows.weight[i] == of_row[i] * cases[k].weight[class[i]]);
        sri_dataset_free(&d);
    }
    specreg_table_free(t);
}

/* Labels that are numbers are found by value. */
TEST(roles, numbers_are_labels_too)
{
    specreg_table *t = small_table(ctx, "t.csv", true, 4, 2,
                                   CELLS("x", "y", "1", "1", "2", "-1", "3", "1", "4", "-1"));
    sri_dataset d;
    assert_ok(ctx, make(ctx, t, CELLS("class-weight", "1.0=3"), 1, &d));
    assert_true(d.class_weight[0] == 1 && d.class_weight[1] == 3);
    sri_dataset_free(&d);
    specreg_table_free(t);
}

TEST(roles, the_default_target_is_the_last_column_that_is_free)
{
    specreg_table *t =
        small_table(ctx, "t.csv", true, 2, 4,
                    CELLS("a", "b", "g", "w", "1", "2", "3", "4", "5", "6", "7", "8"));
    sri_roles roles;
    assert_ok(ctx,
              sri_roles_find(ctx, t, &(sri_role_names){.target = "", .group = "g", .weights = "w"},
                             &roles));
    assert_int_equal(roles.target[0], 1);
    assert_int_equal(roles.group, 2);
    assert_int_equal(roles.weights, 3);
    assert_int_equal(sri_aside_place(&roles.aside, 1), 1);
    sri_roles_free(&roles);
    assert_ok(ctx, sri_roles_find(ctx, t, &(sri_role_names){.target = "4", .group = "1"}, &roles));
    assert_int_equal(roles.target[0], 3);
    assert_int_equal(sri_aside_place(&roles.aside, 3), 2);
    sri_roles_free(&roles);
    specreg_table_free(t);
}

TEST(roles, what_is_wrong_is_said_in_one_line)
{
    static const struct {
        const char *pairs[6];
        specreg_status status;
        const char *text;
    } cases[] = {
        {{"group", "sitte"},
         SPECREG_E_ARG,
         "t.csv: there is no column 'sitte' (did you mean 'site'?)"},
        {{"weights", "9"}, SPECREG_E_ARG, "t.csv: there is no column 9: the columns are 1 to 4"},
        {{"group", "y"},
         SPECREG_E_ARG,
         "t.csv: column 'y' is the target, it cannot name groups or tasks or hold the weights too "
         "(see --target)"},
        {{"group", "w", "weights", "w"},
         SPECREG_E_ARG,
         "t.csv: column 'w' cannot have two of the roles group, weights, task and id"},
        {{"group", "site", "weights", "w", "target", "x,y"},
         SPECREG_E_SHAPE,
         "t.csv has no feature columns"},
        {{"group", "x", "missing", "drop"},
         SPECREG_E_NUMERIC,
         "t.csv:4: column 'x': the group is missing"},
        {{"weights", "x"}, SPECREG_E_NUMERIC, "t.csv:4: column 'x': the weight is missing"},
        {{"weights", "site"},
         SPECREG_E_NUMERIC,
         "t.csv:2: column 'site': 'b' is not a weight, 0 or greater"},
        {{"weights", "w", "class-weight", "dog"},
         SPECREG_E_ARG,
         "class-weight: 'dog' is neither balanced nor LABEL=WEIGHT"},
        {{"weights", "w", "class-weight", "dogs=2"},
         SPECREG_E_ARG,
         "unknown class of --class-weight 'dogs' (did you mean 'dog'? known: cat dog)"},
        {{"weights", "w", "class-weight", "dog=0"},
         SPECREG_E_ARG,
         "class-weight: dog must be greater than 0, not 0"},
        {{"weights", "w", "class-weight", "dog=1,dog=2"},
         SPECREG_E_ARG,
         "class-weight: class 'dog' is given twice"},
        {{"weights", "w", "class-weight", "dog=x"}, SPECREG_E_ARG, NULL},
        {{"target", "w", "class-weight", "balanced", "missing", "mean"},
         SPECREG_E_ARG,
         "class-weight: target 'w' is a number to predict, it has no classes"},
        {{"weights", "w", "class-weight", "dog=1e308"},
         SPECREG_E_NUMERIC,
         "t.csv:6: the row's weight times its class's leaves the range of a double"},
    };
    specreg_table *t = table(ctx);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sri_dataset d;
        int count = 0;
        while (count < 3 && cases[k].pairs[2 * count])
            count++;
        assert_int_equal(make(ctx, t, cases[k].pairs, count, &d), cases[k].status);
        if (cases[k].text)
            assert_string_equal(specreg_last_error(ctx), cases[k].text);
    }
    specreg_table_free(t);
}

TEST(roles, weights_are_finite_and_two_of_them_positive)
{
    specreg_table *t = small_table(ctx, "t.csv", true, 4, 1, CELLS("w", "1", "0", "-2", "inf"));
    double *w;
    assert_fails(ctx, sri_weights_read(ctx, t, 0, &w), SPECREG_E_NUMERIC,
                 "t.csv:4: column 'w': '-2' is not a weight, 0 or greater");
    assert_null(w);
    t->numbers[2] = 3;
    assert_fails(ctx, sri_weights_read(ctx, t, 0, &w), SPECREG_E_NUMERIC,
                 "t.csv:5: column 'w': 'inf' is not a weight, 0 or greater");
    t->rows = 2;
    assert_fails(ctx, sri_weights_read(ctx, t, 0, &w), SPECREG_E_NUMERIC,
                 "t.csv: column 'w': 1 row has a positive weight: at least two are needed");
    specreg_table_free(t);
}
